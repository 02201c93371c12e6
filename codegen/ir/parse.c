#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "codegen/ir/diagnostics.h"
#include "spgc/lower.h"
#include "support/fatal.h"

/* LLVM's "NAME:LINE:COLUMN: error: TEXT", then the line and a mark below the column. For bitcode it
 * ends with the text. */
struct parse_message {
  const char *name, *text, *quoted;
  int name_length, text_length, quoted_length;
  unsigned line, column;
};

/* The number between a colon and `end`, which moves to the colon; 0 if there is none. */
static unsigned number_before(const char *start, const char **end) {
  const char *digit = *end;
  while (digit > start && isdigit((unsigned char)digit[-1]))
    digit--;
  if (digit == *end || digit == start || digit[-1] != ':')
    return 0;
  unsigned long number = strtoul(digit, NULL, 10);
  *end = digit - 1;
  return (unsigned)number;
}

static struct parse_message read_message(const char *message) {
  static const char mark[] = ": error: ";
  struct parse_message read = {.name = message, .text = message};
  const char *found = strstr(message, mark);
  if (found != NULL) {
    const char *end = found;
    read.text = found + strlen(mark);
    read.column = number_before(message, &end);
    read.line = read.column != 0 ? number_before(message, &end) : 0;
    read.name_length = (int)(end - message);
  }
  read.text_length = (int)strcspn(read.text, "\n");
  if (read.line != 0 && read.text[read.text_length] == '\n') {
    read.quoted = read.text + read.text_length + 1;
    read.quoted += strspn(read.quoted, " \t");
    read.quoted_length = (int)strcspn(read.quoted, "\n");
  }
  return read;
}

static enum spgc_result malformed(const char *message, struct spgc_error *error) {
  enum { LONGEST_NAME = 200, LONGEST_QUOTE = 80 };
  struct parse_message read = read_message(message);
  char place[LONGEST_NAME + sizeof ":4294967295:4294967295: "] = "";
  int left_out = read.name_length > LONGEST_NAME ? read.name_length - LONGEST_NAME : 0;
  int length = 0;
  if (read.line != 0)
    length = snprintf(place, sizeof place, "%.*s:%u:%u: ", read.name_length - left_out,
                      read.name + left_out, read.line, read.column);
  bool quotes = read.quoted_length > 0;
  bool is_long = read.quoted_length > LONGEST_QUOTE;
  spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "%s%.*s%s%.*s%s%s", place, read.text_length,
                 read.text, quotes ? ", in `" : "", is_long ? LONGEST_QUOTE : read.quoted_length,
                 quotes ? read.quoted : "", is_long ? "..." : "", quotes ? "`" : "");
  if (error != NULL && read.line != 0) {
    error->line = read.line;
    error->column = read.column;
    error->place_length = (uint32_t)length;
    snprintf(error->file, sizeof error->file, "%.*s", read.name_length - left_out,
             read.name + left_out);
  }
  return SPGC_ERROR_MALFORMED;
}

enum spgc_result spgc_parse_module(LLVMContextRef context, LLVMMemoryBufferRef buffer,
                                   LLVMModuleRef *module, struct spgc_error *error) {
  struct diagnostics diagnostics;
  char *message = NULL;
  LLVMModuleRef read = NULL;
  spgc_require_use(context != NULL && buffer != NULL && module != NULL,
                   "no context, no buffer or no place for the module is given");
  spgc_diagnostics_catch(&diagnostics, context);
  bool failed = LLVMParseIRInContext(context, buffer, &read, &message);
  enum spgc_result result = failed ? malformed(message, error) : SPGC_OK;
  LLVMDisposeMessage(message);
  result = spgc_diagnostics_release(&diagnostics, result, error);
  if (result == SPGC_OK)
    *module = read;
  else if (!failed)
    LLVMDisposeModule(read);
  return result;
}
