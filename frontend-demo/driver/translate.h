/* Translates source text to one of the stages on the way to machine code. */
#ifndef LOX_DRIVER_TRANSLATE_H
#define LOX_DRIVER_TRANSLATE_H

#include <llvm-c/Core.h>

#include "frontend-demo/driver/options.h"
#include "frontend-demo/emit/emit.h"
#include "spgc/lower.h"

struct lox_translation {
  const char *path; /* used in messages */
  struct lox_string text;
  bool echoes; /* values of expressions are shown */
  struct lox_emit_options emit;
  enum lox_stage stage;
  const char *target; /* as in struct spgc_lower_options */
  enum spgc_code code;
  unsigned optimisation;
};

/* Makes a buffer, which the caller must dispose of. Reports errors on standard error, and returns
 * LOX_EXIT_COMPILE_ERROR or LOX_EXIT_INTERNAL. */
int lox_translate(const struct lox_translation *translation, LLVMMemoryBufferRef *buffer);

#endif
