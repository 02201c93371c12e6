/* Removes what others wrote into the module and the lowering would take for something else.
 *
 * Annotations of pointers, which clang writes where a member of a structure has the attribute
 * `annotate`: LLVM has no use for them, but takes their results for addresses of objects, and for
 * pointers that it knows nothing of. Metadata of the kinds that the lowering itself sets: they
 * claim what it has not found out. */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"

#include <string.h>

static const char *const own_kinds[] = {"is_base_value", PRELUDE_PREFIX "word",
                                        PRELUDE_PREFIX "number", PRELUDE_PREFIX "references"};

static void drop_own_kinds(LLVMContextRef context, LLVMValueRef instruction) {
  for (size_t i = 0; i < sizeof own_kinds / sizeof *own_kinds; i++)
    LLVMSetMetadata(instruction,
                    LLVMGetMDKindIDInContext(context, own_kinds[i], (unsigned)strlen(own_kinds[i])),
                    NULL);
}

enum spgc_result spgc_drop_annotations(struct lowering *lowering, struct spgc_error *error) {
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        drop_own_kinds(context, instruction);
        if (!spgc_ir_is_annotation(instruction))
          continue;
        LLVMReplaceAllUsesWith(instruction, LLVMGetArgOperand(instruction, 0));
        LLVMInstructionEraseFromParent(instruction);
      }
  return SPGC_OK;
}
