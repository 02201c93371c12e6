#include "codegen/check/reject.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/source_place.h"
#include "support/fatal.h"

/* Bytes of a message, whose length struct spgc_error limits. */
enum {
  LONGEST_QUOTE = 180,
  SHORTEST_QUOTE = 24,
  LONGEST_NAME = 80,
  LONGEST_PLACED_NAME = 48,
  LONGEST_FILE = 72,
  LONGEST_HEAD = 256
};

static _Thread_local struct reject_listener *listening;

struct reject_listener *spgc_reject_listen(struct reject_listener *listener) {
  struct reject_listener *before = listening;
  listening = listener;
  return before;
}

/* What a message begins with. */
struct head {
  char text[LONGEST_HEAD]; /* "FILE:LINE:COLUMN: function 'NAME', variable 'NAME': ", as far as
                              known; without a line, with the block */
  uint32_t place_length;   /* bytes of it up to "function" */
};

/* Prints the first line of a value without its metadata, cut to `size`. */
static void quote(LLVMValueRef value, char *quoted, size_t size) {
  char *text = LLVMPrintValueToString(value);
  const char *start = text + strspn(text, " ");
  size_t length = strcspn(start, "\n");
  const char *location = memmem(start, length, ", !dbg ", strlen(", !dbg "));
  if (location != NULL)
    length = (size_t)(location - start);
  if (length < size)
    snprintf(quoted, size, "%.*s", (int)length, start);
  else
    snprintf(quoted, size, "%.*s...", (int)size - 4, start);
  LLVMDisposeMessage(text);
}

/* The number of a block without a name, as LLVM prints it: its label starts the block's text. The
 * first block has no label, and comes behind the parameters without names. */
static unsigned block_number(LLVMBasicBlockRef block) {
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  if (block != LLVMGetEntryBasicBlock(function)) {
    char *text = LLVMPrintValueToString(LLVMBasicBlockAsValue(block));
    unsigned long number = strtoul(text, NULL, 10);
    LLVMDisposeMessage(text);
    return (unsigned)number;
  }
  unsigned number = 0;
  for (unsigned i = 0; i < LLVMCountParams(function); i++) {
    size_t length;
    LLVMGetValueName2(LLVMGetParam(function, i), &length);
    number += length == 0;
  }
  return number;
}

static void write_block(LLVMBasicBlockRef block, char name[SPGC_ERROR_BLOCK_SIZE]) {
  if (*LLVMGetBasicBlockName(block) != '\0')
    snprintf(name, SPGC_ERROR_BLOCK_SIZE, "%s", LLVMGetBasicBlockName(block));
  else
    snprintf(name, SPGC_ERROR_BLOCK_SIZE, "%%%u", block_number(block));
}

static uint32_t write_place(const struct source_place *place, char *text, size_t size) {
  size_t length = strlen(place->file);
  const char *file = place->file + (length > LONGEST_FILE ? length - LONGEST_FILE : 0);
  int written = place->line == 0 ? 0
                : place->column == 0
                    ? snprintf(text, size, "%s:%u: ", file, place->line)
                    : snprintf(text, size, "%s:%u:%u: ", file, place->line, place->column);
  text[written] = '\0';
  return (uint32_t)written;
}

static void write_head(LLVMValueRef global, const char *block, const struct source_place *place,
                       struct head *head) {
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  const char *kind = LLVMIsAFunction(global) ? "function" : "global variable";
  bool is_named = *place->variable != '\0', is_placed = place->line != 0;
  size_t longest = is_placed ? LONGEST_PLACED_NAME : LONGEST_NAME;
  bool shows_block = !is_placed && *block != '\0';
  head->place_length = write_place(place, head->text, sizeof head->text);
  snprintf(head->text + head->place_length, sizeof head->text - head->place_length,
           "%s '%.*s'%s%.*s%s%s%s%s: ", kind, (int)(length < longest ? length : longest), name,
           shows_block ? ", block '" : "", shows_block ? LONGEST_PLACED_NAME : 0, block,
           shows_block ? "'" : "", is_named ? ", variable '" : "", place->variable,
           is_named ? "'" : "");
}

/* The quotation is cut so that problem and remedy stay whole. */
static size_t quote_size(const struct head *head, const struct objection *objection) {
  size_t others =
      strlen(head->text) + sizeof "``: ; " + strlen(objection->problem) + strlen(objection->remedy);
  size_t size = others < SPGC_ERROR_MESSAGE_SIZE ? SPGC_ERROR_MESSAGE_SIZE - others + 1 : 0;
  return size > LONGEST_QUOTE ? LONGEST_QUOTE : size < SHORTEST_QUOTE ? SHORTEST_QUOTE : size;
}

/* Completes the error, whose message is written, and hands it on. */
static enum spgc_result reject(LLVMValueRef culprit, const char *block,
                               const struct source_place *place, const struct head *head,
                               const struct objection *objection, struct spgc_error *rejection,
                               struct spgc_error *error) {
  rejection->line = place->line;
  rejection->column = place->column;
  rejection->place_length = head->place_length;
  rejection->rule = objection->rule;
  snprintf(rejection->file, sizeof rejection->file, "%s", place->file);
  snprintf(rejection->block, sizeof rejection->block, "%s", block);
  if (LLVMIsAFunction(culprit))
    snprintf(rejection->function, sizeof rejection->function, "%s", LLVMGetValueName(culprit));
  if (listening != NULL) {
    listening->hear(listening, culprit, rejection);
    return SPGC_OK;
  }
  *error = *rejection;
  return SPGC_ERROR_REJECTED;
}

/* Messages take time. */
static bool is_heard(const struct spgc_error *error) {
  return listening != NULL || error != NULL;
}

static enum spgc_result reject_at(LLVMValueRef instruction, const struct source_place *place,
                                  const struct objection *objection, struct spgc_error *error) {
  LLVMBasicBlockRef parent = LLVMGetInstructionParent(instruction);
  LLVMValueRef function = LLVMGetBasicBlockParent(parent);
  struct head head;
  struct spgc_error rejection;
  char quoted[LONGEST_QUOTE], block[SPGC_ERROR_BLOCK_SIZE];
  write_block(parent, block);
  write_head(function, block, place, &head);
  quote(instruction, quoted, quote_size(&head, objection));
  spgc_error_set(&rejection, SPGC_ERROR_REJECTED, 0, "%s`%s`: %s; %s", head.text, quoted,
                 objection->problem, objection->remedy);
  return reject(function, block, place, &head, objection, &rejection, error);
}

enum spgc_result spgc_reject_instruction(LLVMValueRef instruction,
                                         const struct objection *objection,
                                         struct spgc_error *error) {
  if (!is_heard(error))
    return SPGC_ERROR_REJECTED;
  struct source_place place;
  spgc_source_place_of_instruction(instruction, &place);
  return reject_at(instruction, &place, objection, error);
}

enum spgc_result spgc_reject_variable(LLVMValueRef alloca, LLVMValueRef instruction,
                                      const struct objection *objection, struct spgc_error *error) {
  if (!is_heard(error))
    return SPGC_ERROR_REJECTED;
  struct source_place place;
  spgc_source_place_of_access(instruction, alloca, &place);
  return reject_at(instruction, &place, objection, error);
}

enum spgc_result spgc_reject_global(LLVMValueRef global, const struct objection *objection,
                                    struct spgc_error *error) {
  if (!is_heard(error))
    return SPGC_ERROR_REJECTED;
  struct source_place place;
  struct head head;
  struct spgc_error rejection;
  spgc_source_place_of_global(global, &place);
  write_head(global, "", &place, &head);
  spgc_error_set(&rejection, SPGC_ERROR_REJECTED, 0, "%s%s; %s", head.text, objection->problem,
                 objection->remedy);
  return reject(global, "", &place, &head, objection, &rejection, error);
}
