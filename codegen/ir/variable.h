/* A local variable that stays in memory, and its words that hold references.
 *
 * A word holds references if the variable's type shows it, or if the function itself loads or
 * stores a reference there, because the type of a union names only one member, or if a call names a
 * type with a reference there (byval, sret). Callees that get the address are not looked at. If the
 * function uses a word as a reference and as something else, the collector cannot interpret it, and
 * the variable gets an objection.
 *
 * A statepoint lists the runs of such words, and the collector rewrites them: see variables.c.
 */
#ifndef SPGC_CODEGEN_IR_VARIABLE_H
#define SPGC_CODEGEN_IR_VARIABLE_H

#include <stdbool.h>

#include <llvm-c/Target.h>

#include "codegen/ir/objection.h"

/* `words` words from `offset` bytes on. */
struct variable_run {
  uint64_t offset;
  uint16_t words;
};

enum { VARIABLE_MOST_RUNS = 256 };

struct variable {
  LLVMValueRef alloca;
  const struct objection *objection; /* NULL: the variable can be a root */
  LLVMValueRef culprit;              /* the instruction that the objection is about */
  size_t run_count;                  /* 0: the variable holds no references */
  struct variable_run runs[VARIABLE_MOST_RUNS];
};

/* Reads the uses of an alloca in address space 0. `optimised`: the optimiser has run. */
void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, bool optimised,
                        struct variable *variable);

/* Notes at the alloca where the references are. Once the optimiser has run, accesses by an index do
 * not tell it any more, and the note is read. */
void spgc_variable_note(const struct variable *variable);
void spgc_variable_forget(LLVMValueRef alloca);

#endif
