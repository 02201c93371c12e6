#include "codegen/ir/debug_variables.h"

#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>

#include "codegen/ir/ir.h"

enum { NAME_OPERAND = 1 }; /* of llvm::DIVariable */

static void read_name(LLVMValueRef node, struct debug_variable *variable) {
  unsigned count = LLVMGetMDNodeNumOperands(node);
  LLVMValueRef *operands = calloc(count + 1, sizeof *operands);
  if (operands == NULL)
    return;
  LLVMGetMDNodeOperands(node, operands);
  unsigned length = 0;
  if (count > NAME_OPERAND && operands[NAME_OPERAND] != NULL)
    variable->name = LLVMGetMDString(operands[NAME_OPERAND], &length);
  variable->name_length = length;
  free((void *)operands);
}

static void add(struct debug_variables *variables, LLVMValueRef value, LLVMMetadataRef metadata) {
  if (value == NULL || LLVMIsAConstant(value) || metadata == NULL ||
      LLVMGetMetadataKind(metadata) != LLVMDILocalVariableMetadataKind)
    return;
  struct debug_variable variable = {.value = value, .line = LLVMDIVariableGetLine(metadata)};
  read_name(LLVMMetadataAsValue(LLVMGetTypeContext(LLVMTypeOf(value)), metadata), &variable);
  if (variable.name_length == 0)
    return;
  if (variables->count == variables->capacity) {
    size_t capacity = 2 * variables->capacity + 16;
    void *larger = reallocarray(variables->items, capacity, sizeof *variables->items);
    if (larger == NULL)
      return;
    variables->items = larger;
    variables->capacity = capacity;
  }
  variables->items[variables->count++] = variable;
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

/* The C API of these versions shows intrinsics, not records. */
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
  free(variables->items);
}

const struct debug_variable *spgc_debug_variables_find(const struct debug_variables *variables,
                                                       LLVMValueRef value) {
  for (size_t i = 0; i < variables->count; i++)
    if (variables->items[i].value == value)
      return &variables->items[i];
  return NULL;
}
