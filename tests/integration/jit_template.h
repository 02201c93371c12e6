#ifndef SPGC_TESTS_JIT_TEMPLATE_H
#define SPGC_TESTS_JIT_TEMPLATE_H

#include <stddef.h>

#include <llvm-c/Core.h>

/* A module in which names that end in five equal digits, such as "function_00000", are replaced. */
struct jit_template {
  char *bytes;
  size_t size;
};

void jit_template_compile(struct jit_template *template, const char *text);
void jit_template_compile_at(struct jit_template *template, const char *text,
                             unsigned optimisation);
void jit_template_free(struct jit_template *template);

/* A copy with "_NUMBER" for "_00000", and "_OTHER" for "_11111"; both below 100,000. */
LLVMMemoryBufferRef jit_template_copy(const struct jit_template *template, unsigned number,
                                      unsigned other);

#endif
