/* RS4GC looks for the object that a reference points into. It treats an instruction it does not
 * know as a choice among others, like a phi, and makes a second instruction that chooses among
 * their objects. For an exchange it would make one that exchanges the object's header. The result
 * of an exchange was in memory, so it is an object's own address, and the mark says so. */
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"

static void mark_base(LLVMContextRef context, LLVMValueRef instruction) {
  static const char name[] = "is_base_value";
  unsigned kind = LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
  LLVMMetadataRef nothing = LLVMMDNodeInContext2(context, NULL, 0);
  LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(context, nothing));
}

enum spgc_result spgc_mark_bases(struct lowering *lowering, struct spgc_error *error) {
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_BLOCK (block, function)
        IR_EACH_INSTRUCTION (instruction, block)
          if (LLVMIsAAtomicRMWInst(instruction) && spgc_ir_is_reference(instruction))
            mark_base(context, instruction);
  return SPGC_OK;
}
