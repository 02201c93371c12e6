/* A step that fails ends the test with the library's message. */
#ifndef SPGC_TESTS_COMPILE_H
#define SPGC_TESTS_COMPILE_H

#include <llvm-c/Core.h>

#include "spgc/jit.h"
#include "spgc/lower.h"
#include "tests/support/assertions.h"

/* SPGC_TEST_LEVEL_STRIDE, 1 (the default), 2 or 4: a test takes every Nth of its four levels. With
 * compile_add_levels, it begins with SPGC_TEST_FIRST_LEVEL, or 0. */
unsigned compile_level_stride(void);

void compile_add_levels(TCase *tests, const TTest *test);

int compile_count(const char *text, const char *part);

#define ck_assert_times(text, part, times)                                                         \
  ck_assert_msg(compile_count(text, part) == (times), "\"%s\" %d times, not %d, in:\n%.3000s",     \
                part, compile_count(text, part), times, text)

#define ck_assert_ok(call, error)                                                                  \
  do {                                                                                             \
    enum spgc_result ck_result = (call);                                                           \
    ck_assert_msg(ck_result == SPGC_OK, "%s: %s", #call, (error).message);                         \
  } while (0)

/* With the default options at this level; freed by LLVMDisposeMessage. */
char *compile_lowered_at(const char *text, unsigned optimisation);

LLVMModuleRef compile_parse(LLVMContextRef context, const char *text);

/* The text of tests/integration/ir/NAME. The caller frees it. */
char *compile_read(const char *name);

/* The lowered text, freed by LLVMDisposeMessage. */
char *compile_lowered(const char *text, const struct spgc_lower_options *options);

enum spgc_result compile_result(const char *text, const struct spgc_lower_options *options,
                                struct spgc_error *error);

LLVMMemoryBufferRef compile_object(const char *text, const struct spgc_lower_options *options);

LLVMMemoryBufferRef compile_for_jit(const char *text, unsigned optimisation);
/* With only the processor's own features. NULL: this one. */
LLVMMemoryBufferRef compile_for_processor(const char *text, unsigned optimisation,
                                          const char *processor);

#endif
