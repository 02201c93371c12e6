#include "codegen/check/reject.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "codegen/ir/source_place.h"
#include "support/fatal.h"

/* Bytes of a message, whose length struct spgc_error limits. */
enum {
  LONGEST_QUOTE = 180,
  SHORTEST_QUOTE = 24,
  LONGEST_NAME = 80,
  LONGEST_PLACED_NAME = 48,
  LONGEST_HEAD = 256
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

/* Writes "FILE:LINE: function 'NAME', variable 'NAME': ", as far as known. */
static void write_head(LLVMValueRef global, const struct source_place *place,
                       char head[LONGEST_HEAD]) {
  size_t length, longest = *place->position != '\0' ? LONGEST_PLACED_NAME : LONGEST_NAME;
  const char *name = LLVMGetValueName2(global, &length);
  const char *kind = LLVMIsAFunction(global) ? "function" : "global variable";
  bool is_named = *place->variable != '\0';
  snprintf(head, LONGEST_HEAD, "%s%s '%.*s'%s%s%s: ", place->position, kind,
           (int)(length < longest ? length : longest), name, is_named ? ", variable '" : "",
           place->variable, is_named ? "'" : "");
}

/* The quotation is cut so that problem and remedy stay whole. */
static size_t quote_size(const char *head, const struct objection *objection) {
  size_t others =
      strlen(head) + sizeof "``: ; " + strlen(objection->problem) + strlen(objection->remedy);
  size_t size = others < SPGC_ERROR_MESSAGE_SIZE ? SPGC_ERROR_MESSAGE_SIZE - others + 1 : 0;
  return size > LONGEST_QUOTE ? LONGEST_QUOTE : size < SHORTEST_QUOTE ? SHORTEST_QUOTE : size;
}

static enum spgc_result reject_at(LLVMValueRef instruction, const struct source_place *place,
                                  const struct objection *objection, struct spgc_error *error) {
  char head[LONGEST_HEAD], quoted[LONGEST_QUOTE];
  write_head(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)), place, head);
  quote(instruction, quoted, quote_size(head, objection));
  return spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "%s`%s`: %s; %s", head, quoted,
                        objection->problem, objection->remedy);
}

enum spgc_result spgc_reject_instruction(LLVMValueRef instruction,
                                         const struct objection *objection,
                                         struct spgc_error *error) {
  struct source_place place;
  spgc_source_place_of_instruction(instruction, &place);
  return reject_at(instruction, &place, objection, error);
}

enum spgc_result spgc_reject_variable(LLVMValueRef alloca, LLVMValueRef instruction,
                                      const struct objection *objection, struct spgc_error *error) {
  struct source_place place;
  spgc_source_place_of_access(instruction, alloca, &place);
  return reject_at(instruction, &place, objection, error);
}

enum spgc_result spgc_reject_global(LLVMValueRef global, const struct objection *objection,
                                    struct spgc_error *error) {
  struct source_place place;
  spgc_source_place_of_global(global, &place);
  char head[LONGEST_HEAD];
  write_head(global, &place, head);
  return spgc_error_set(error, SPGC_ERROR_REJECTED, 0, "%s%s; %s", head, objection->problem,
                        objection->remedy);
}
