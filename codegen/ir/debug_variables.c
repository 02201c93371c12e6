#include "codegen/ir/debug_variables.h"

#include <stdlib.h>

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>

#include "codegen/ir/ir.h"

enum { NAME_OPERAND = 1 }; /* of llvm::DIVariable */

const char *spgc_debug_variable_name(LLVMValueRef node, unsigned *length) {
  unsigned count = LLVMGetMDNodeNumOperands(node);
  LLVMValueRef *operands = spgc_zeroed(count, sizeof *operands);
  LLVMGetMDNodeOperands(node, operands);
  LLVMValueRef name = count > NAME_OPERAND ? operands[NAME_OPERAND] : NULL;
  free((void *)operands);
  *length = 0;
  return name != NULL ? LLVMGetMDString(name, length) : NULL;
}

static void add(struct debug_variables *variables, LLVMValueRef value, LLVMMetadataRef metadata) {
  if (value == NULL || LLVMIsAConstant(value) || metadata == NULL ||
      LLVMGetMetadataKind(metadata) != LLVMDILocalVariableMetadataKind)
    return;
  LLVMValueRef node = LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(value)), metadata);
  unsigned length;
  spgc_debug_variable_name(node, &length);
  if (length == 0)
    return;
  spgc_values_add(&variables->values, value);
  spgc_values_add(&variables->nodes, node);
}

#if LLVM_VERSION_MAJOR >= 22

static void read_function(LLVMValueRef function, struct debug_variables *variables) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    for (LLVMDbgRecordRef record = LLVMGetFirstDbgRecord(instruction); record != NULL;
         record = LLVMGetNextDbgRecord(record))
      if (LLVMDbgRecordGetKind(record) != LLVMDbgRecordLabel)
        add(variables, LLVMDbgVariableRecordGetValue(record, 0),
            LLVMDbgVariableRecordGetVariable(record));
}

#else

enum { VALUE, VARIABLE, ASSIGNED_ADDRESS = 4 };

static void add_operand(struct debug_variables *variables, LLVMValueRef intrinsic,
                        unsigned operand) {
  LLVMValueRef wrapped = LLVMGetArgOperand(intrinsic, operand), value = NULL;
  if (LLVMGetMetadataKind(LLVMValueAsMetadata(wrapped)) == LLVMLocalAsMetadataMetadataKind)
    LLVMGetMDNodeOperands(wrapped, &value);
  add(variables, value, LLVMValueAsMetadata(LLVMGetArgOperand(intrinsic, VARIABLE)));
}

/* The C API of these versions gives access to intrinsics, not to records. */
static void read_intrinsics(LLVMValueRef function, struct debug_variables *variables) {
  IR_EACH_INSTRUCTION_OF (instruction, function) {
    bool assigns = spgc_ir_is_intrinsic(instruction, "llvm.dbg.assign");
    if (assigns)
      add_operand(variables, instruction, ASSIGNED_ADDRESS);
    if (assigns || spgc_ir_is_intrinsic(instruction, "llvm.dbg.declare") ||
        spgc_ir_is_intrinsic(instruction, "llvm.dbg.value"))
      add_operand(variables, instruction, VALUE);
  }
}

static const char *const intrinsics[] = {"llvm.dbg.declare", "llvm.dbg.value", "llvm.dbg.assign",
                                         "llvm.dbg.label"};
enum { INTRINSICS = sizeof intrinsics / sizeof *intrinsics };

static void read_function(LLVMValueRef function, struct debug_variables *variables) {
  LLVMModuleRef module = LLVMGetGlobalParent(function);
  bool had_records = LLVMIsNewDbgInfoFormat(module), declared[INTRINSICS];
  for (size_t i = 0; i < INTRINSICS; i++)
    declared[i] = LLVMGetNamedFunction(module, intrinsics[i]) != NULL;
  LLVMSetIsNewDbgInfoFormat(module, false);
  read_intrinsics(function, variables);
  LLVMSetIsNewDbgInfoFormat(module, had_records);
  for (size_t i = 0; i < INTRINSICS; i++) {
    LLVMValueRef intrinsic = LLVMGetNamedFunction(module, intrinsics[i]);
    if (intrinsic != NULL && !declared[i] && LLVMGetFirstUse(intrinsic) == NULL)
      LLVMDeleteFunction(intrinsic);
  }
}

#endif

void spgc_debug_variables_read(LLVMValueRef function, struct debug_variables *variables) {
  *variables = (struct debug_variables){0};
  if (LLVMGetSubprogram(function) != NULL)
    read_function(function, variables);
}

void spgc_debug_variables_free(struct debug_variables *variables) {
  spgc_values_free(&variables->values);
  spgc_values_free(&variables->nodes);
}

LLVMValueRef spgc_debug_variables_find(const struct debug_variables *variables,
                                       LLVMValueRef value) {
  unsigned place = spgc_values_find(&variables->values, value);
  return place != VALUES_MISSING ? variables->nodes.at[place] : NULL;
}
