/* Variables that calls name with a type (byval, sret), and whose own type shows no reference: they
 * get a type that shows the references, before an optimiser removes the calls' attributes. */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/values.h"
#include "codegen/ir/variable.h"

enum { WORD = 8 };

static void find_hiding(LLVMValueRef call, struct values *hiding) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef alloca = spgc_ir_memory_of_argument(call, i) != NULL
                              ? spgc_ir_underlying_alloca(LLVMGetArgOperand(call, i))
                              : NULL;
    if (alloca != NULL && !spgc_ir_type_contains_reference(LLVMGetAllocatedType(alloca)) &&
        !spgc_values_contain(hiding, alloca))
      spgc_values_add(hiding, alloca);
  }
}

static LLVMTypeRef gap(LLVMContextRef context, uint64_t bytes) {
  return LLVMArrayType2(LLVMInt8TypeInContext(context), bytes);
}

/* The runs of references, with bytes between them. */
static LLVMTypeRef shown_type(LLVMContextRef context, const struct variable *variable,
                              uint64_t size) {
  LLVMTypeRef reference = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  LLVMTypeRef fields[2 * VARIABLE_MOST_RUNS + 1];
  unsigned count = 0;
  uint64_t end = 0;
  for (size_t i = 0; i < variable->run_count; i++) {
    struct variable_run run = variable->runs[i];
    fields[count++] = gap(context, run.offset - end);
    fields[count++] = LLVMArrayType2(reference, run.words);
    end = run.offset + (uint64_t)run.words * WORD;
  }
  fields[count++] = gap(context, size > end ? size - end : 0);
  return LLVMStructTypeInContext(context, fields, count, false);
}

static void show(LLVMModuleRef module, LLVMValueRef alloca) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(module);
  struct variable variable;
  spgc_variable_read(alloca, data, false, &variable);
  if (variable.objection != NULL || variable.run_count == 0)
    return; /* checked when promotion has shown more */
  uint64_t size = LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0)) *
                  LLVMABISizeOfType(data, LLVMGetAllocatedType(alloca));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, alloca);
  LLVMValueRef shown =
      LLVMBuildAlloca(builder, shown_type(context, &variable, size), LLVMGetValueName(alloca));
  unsigned alignment = LLVMGetAlignment(alloca);
  LLVMSetAlignment(shown, alignment < WORD ? WORD : alignment);
  LLVMReplaceAllUsesWith(alloca, shown);
  LLVMInstructionEraseFromParent(alloca);
  LLVMDisposeBuilder(builder);
}

enum spgc_result spgc_show_variables(struct lowering *lowering, struct spgc_error *error) {
  struct values hiding = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (spgc_ir_is_call(instruction))
          find_hiding(instruction, &hiding);
  for (unsigned i = 0; i < hiding.count; i++)
    show(lowering->module, hiding.at[i]);
  spgc_values_free(&hiding);
  return SPGC_OK;
}
