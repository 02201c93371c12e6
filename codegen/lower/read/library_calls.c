/* Calls of leaves of the C library (ir/library.h). The optimiser must not recognise them, because
 * it would make library calls whose parameters are in address space 0. */
#include "codegen/ir/library.h"

#include "codegen/ir/ir.h"
#include "codegen/lower/phases.h"

void spgc_keep_library_calls(struct lowering *lowering, LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || spgc_library_call_of(instruction) != LIBRARY_LEAF ||
      !spgc_ir_call_passes_reference(instruction))
    return;
  spgc_ir_add_string(instruction, "gc-leaf-function");
  spgc_ir_remove_attribute(instruction, "builtin");
  spgc_ir_add_attribute(instruction, "nobuiltin");
}
