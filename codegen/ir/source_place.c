#include "codegen/ir/source_place.h"

#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>
#include <llvm/Config/llvm-config.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

/* A node has the index of its alloca or value. */
struct debug_variables {
  struct values values, nodes;
};

enum { NAME_OPERAND = 1 }; /* llvm::DIVariable's */

/* The context owns the name, which is not terminated. Variables with equal names share one text. */
static const char *name_of(LLVMValueRef node, unsigned *length) {
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
  name_of(node, &length);
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

static LLVMValueRef variable_of(const struct debug_variables *variables, LLVMValueRef value) {
  unsigned place = spgc_values_find(&variables->values, value);
  return place < variables->nodes.count ? variables->nodes.at[place] : NULL;
}

static bool read_position(LLVMValueRef value, unsigned line, struct source_place *place) {
  unsigned length = 0;
  const char *file = LLVMGetDebugLocFilename(value, &length);
  if (file == NULL || length == 0 || line == 0)
    return false;
  bool is_long = length >= sizeof place->file;
  unsigned left_out = is_long ? length - (unsigned)(sizeof place->file - sizeof "...") : 0;
  snprintf(place->file, sizeof place->file, "%s%.*s", is_long ? "..." : "",
           (int)(length - left_out), file + left_out);
  place->line = line;
  place->column = LLVMIsAInstruction(value) ? LLVMGetDebugLocColumn(value) : 0;
  return true;
}

/* Added code has no line, so take the nearest earlier instruction with one. */
static LLVMValueRef located(LLVMValueRef instruction) {
  for (LLVMValueRef before = instruction; before != NULL;
       before = LLVMGetPreviousInstruction(before))
    if (LLVMGetDebugLocLine(before) != 0)
      return before;
  return spgc_ir_function_of(instruction);
}

/* The value comes from it through address arithmetic, casts and, if variables are in memory, a
 * load. */
static LLVMValueRef find(const struct debug_variables *variables, LLVMValueRef value) {
  LLVMValueRef found = variable_of(variables, value);
  LLVMValueRef object = spgc_ir_underlying_object(value);
  if (found == NULL)
    found = variable_of(variables, object);
  if (found == NULL && LLVMIsALoadInst(object))
    found = variable_of(variables, spgc_ir_underlying_object(LLVMGetOperand(object, 0)));
  return found;
}

static LLVMValueRef find_operand(const struct debug_variables *variables, LLVMValueRef instruction,
                                 bool interior) {
  LLVMValueRef found = NULL;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    if (interior && !spgc_ir_is_derived(operand))
      continue;
    LLVMValueRef own = find(variables, operand);
    unsigned length;
    if (own != NULL && found != NULL && name_of(own, &length) != name_of(found, &length))
      return NULL;
    found = own != NULL ? own : found;
  }
  return found;
}

static LLVMValueRef find_subject(const struct debug_variables *variables,
                                 LLVMValueRef instruction) {
  LLVMValueRef found = variable_of(variables, instruction);
  LLVMValueRef address = spgc_ir_address_accessed(instruction);
  LLVMValueRef alloca = address != NULL ? spgc_ir_underlying_alloca(address) : NULL;
  if (found == NULL && alloca != NULL)
    found = variable_of(variables, alloca);
  if (found == NULL)
    found = find_operand(variables, instruction, true);
  return found != NULL ? found : find_operand(variables, instruction, false);
}

static void read_place(LLVMValueRef instruction, LLVMValueRef alloca, struct source_place *place) {
  LLVMValueRef function = spgc_ir_function_of(instruction);
  struct debug_variables variables = {0};
  if (LLVMGetSubprogram(function) != NULL)
    read_function(function, &variables);
  LLVMValueRef subject =
      alloca != NULL ? variable_of(&variables, alloca) : find_subject(&variables, instruction);
  unsigned length = 0;
  const char *name = subject != NULL ? name_of(subject, &length) : NULL;
  if (subject != NULL)
    snprintf(place->variable, sizeof place->variable, "%.*s", (int)length, name);
  bool declares = LLVMIsAAllocaInst(instruction) != NULL && subject != NULL;
  if (!declares ||
      !read_position(function, LLVMDIVariableGetLine(LLVMValueAsMetadata(subject)), place)) {
    LLVMValueRef nearest = located(instruction);
    read_position(nearest, LLVMGetDebugLocLine(nearest), place);
  }
  spgc_values_free(&variables.values);
  spgc_values_free(&variables.nodes);
}

void spgc_source_place_of(LLVMValueRef value, LLVMValueRef alloca, struct source_place *place) {
  *place = (struct source_place){0};
  if (LLVMIsAInstruction(value) != NULL)
    read_place(value, alloca, place);
  else
    read_position(value, LLVMGetDebugLocLine(value), place);
}
