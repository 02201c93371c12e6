#include "codegen/check/refusal_place.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/source_place.h"
#include "support/fatal.h"

/* bytes of a message; struct spgc_error limits its length */
enum {
  LONGEST_QUOTE = 180,
  LONGEST_QUOTATION = LONGEST_QUOTE + sizeof "``: ",
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

static void quote(LLVMValueRef value, size_t size, char quoted[LONGEST_QUOTATION]) {
  char *text = LLVMPrintValueToString(value);
  const char *start = text + strspn(text, " ");
  size_t length = strcspn(start, "\n");
  const char *location = memmem(start, length, ", !dbg ", strlen(", !dbg "));
  if (location != NULL)
    length = (size_t)(location - start);
  bool is_long = length >= size;
  snprintf(quoted, LONGEST_QUOTATION, "`%.*s%s`: ", (int)(is_long ? size - sizeof "..." : length),
           start, is_long ? "..." : "");
  LLVMDisposeMessage(text);
}

/* The label begins the block's text. The first block has none, and its number follows those of
 * unnamed parameters. */
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

/* Writes "FILE:LINE:COLUMN: function 'NAME', variable 'NAME': ", as far as known. Returns the
 * number of bytes before "function". */
static uint32_t write_head(LLVMValueRef global, const char *block, const struct source_place *place,
                           char head[LONGEST_HEAD]) {
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  const char *kind = LLVMIsAFunction(global) ? "function" : "global variable";
  bool is_named = *place->variable != '\0', is_placed = place->line != 0;
  size_t longest = is_placed ? LONGEST_PLACED_NAME : LONGEST_NAME;
  bool shows_block = !is_placed && *block != '\0';
  uint32_t place_length = write_place(place, head, LONGEST_HEAD);
  snprintf(head + place_length, LONGEST_HEAD - place_length, "%s '%.*s'%s%.*s%s%s%s%s: ", kind,
           (int)(length < longest ? length : longest), name, shows_block ? ", block '" : "",
           shows_block ? LONGEST_PLACED_NAME : 0, block, shows_block ? "'" : "",
           is_named ? ", variable '" : "", place->variable, is_named ? "'" : "");
  return place_length;
}

static size_t quote_size(const char *head, const struct objection *objection) {
  size_t others =
      strlen(head) + sizeof "``: ; " + strlen(objection->problem) + strlen(objection->remedy);
  size_t size = others < SPGC_ERROR_MESSAGE_SIZE ? SPGC_ERROR_MESSAGE_SIZE - others + 1 : 0;
  return size > LONGEST_QUOTE ? LONGEST_QUOTE : size < SHORTEST_QUOTE ? SHORTEST_QUOTE : size;
}

static void write_error(LLVMValueRef culprit, LLVMValueRef variable,
                        const struct objection *objection, struct spgc_error *error) {
  struct source_place place;
  char quoted[LONGEST_QUOTATION] = "", block[SPGC_ERROR_BLOCK_SIZE] = "", head[LONGEST_HEAD];
  bool is_instruction = LLVMIsAInstruction(culprit) != NULL;
  LLVMValueRef global = is_instruction ? spgc_ir_function_of(culprit) : culprit;
  spgc_source_place_of(culprit, variable, &place);
  if (is_instruction)
    write_block(LLVMGetInstructionParent(culprit), block);
  uint32_t place_length = write_head(global, block, &place, head);
  if (is_instruction)
    quote(culprit, quote_size(head, objection), quoted);
  spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "%s%s%s; %s", head, quoted, objection->problem,
                 objection->remedy);
  error->line = place.line;
  error->column = place.column;
  error->place_length = place_length;
  error->rule = objection->rule;
  snprintf(error->file, sizeof error->file, "%s", place.file);
  snprintf(error->block, sizeof error->block, "%s", block);
  if (LLVMIsAFunction(global))
    snprintf(error->function, sizeof error->function, "%s", LLVMGetValueName(global));
}

/* Formats a message only if it will be read. */
enum spgc_result spgc_reject(LLVMValueRef culprit, LLVMValueRef variable,
                             const struct objection *objection, struct spgc_error *error) {
  struct spgc_error heard;
  if (listening == NULL) {
    if (error != NULL)
      write_error(culprit, variable, objection, error);
    return SPGC_ERROR_REJECTED;
  }
  write_error(culprit, variable, objection, &heard);
  listening->hear(listening, &heard);
  return SPGC_OK;
}
