#include "codegen/ir/source_place.h"

#include <stdio.h>

#include <llvm-c/DebugInfo.h>

#include "codegen/ir/debug_variables.h"
#include "codegen/ir/ir.h"

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

/* Added code has no line, so the nearest earlier instruction with one. */
static LLVMValueRef located(LLVMValueRef instruction) {
  for (LLVMValueRef before = instruction; before != NULL;
       before = LLVMGetPreviousInstruction(before))
    if (LLVMGetDebugLocLine(before) != 0)
      return before;
  return spgc_ir_function_of(instruction);
}

/* A value comes from it through address arithmetic, casts and, if variables are in memory, a
 * load. */
static LLVMValueRef find(const struct debug_variables *variables, LLVMValueRef value) {
  LLVMValueRef found = spgc_debug_variables_find(variables, value);
  LLVMValueRef object = spgc_ir_underlying_object(value);
  if (found == NULL)
    found = spgc_debug_variables_find(variables, object);
  if (found == NULL && LLVMIsALoadInst(object))
    found =
        spgc_debug_variables_find(variables, spgc_ir_underlying_object(LLVMGetOperand(object, 0)));
  return found;
}

/* All variables of that name share one text. */
static const char *name_of(LLVMValueRef node) {
  unsigned length;
  return spgc_debug_variable_name(node, &length);
}

static LLVMValueRef find_operand(const struct debug_variables *variables, LLVMValueRef instruction,
                                 bool interior) {
  LLVMValueRef found = NULL;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    if (interior && !spgc_ir_is_derived(operand))
      continue;
    LLVMValueRef own = find(variables, operand);
    if (own != NULL && found != NULL && name_of(own) != name_of(found))
      return NULL;
    found = own != NULL ? own : found;
  }
  return found;
}

static LLVMValueRef find_subject(const struct debug_variables *variables,
                                 LLVMValueRef instruction) {
  LLVMValueRef found = spgc_debug_variables_find(variables, instruction);
  LLVMValueRef address = spgc_ir_address_accessed(instruction);
  LLVMValueRef alloca = address != NULL ? spgc_ir_underlying_alloca(address) : NULL;
  if (found == NULL && alloca != NULL)
    found = spgc_debug_variables_find(variables, alloca);
  if (found == NULL)
    found = find_operand(variables, instruction, true);
  return found != NULL ? found : find_operand(variables, instruction, false);
}

static void read_place(LLVMValueRef instruction, LLVMValueRef alloca, struct source_place *place) {
  LLVMValueRef function = spgc_ir_function_of(instruction);
  struct debug_variables variables;
  spgc_debug_variables_read(function, &variables);
  LLVMValueRef subject = alloca != NULL ? spgc_debug_variables_find(&variables, alloca)
                                        : find_subject(&variables, instruction);
  unsigned length = 0;
  const char *name = subject != NULL ? spgc_debug_variable_name(subject, &length) : NULL;
  if (subject != NULL)
    snprintf(place->variable, sizeof place->variable, "%.*s", (int)length, name);
  bool declares = LLVMIsAAllocaInst(instruction) != NULL && subject != NULL;
  if (!declares ||
      !read_position(function, LLVMDIVariableGetLine(LLVMValueAsMetadata(subject)), place)) {
    LLVMValueRef nearest = located(instruction);
    read_position(nearest, LLVMGetDebugLocLine(nearest), place);
  }
  spgc_debug_variables_free(&variables);
}

void spgc_source_place_of(LLVMValueRef value, LLVMValueRef alloca, struct source_place *place) {
  *place = (struct source_place){0};
  if (LLVMIsAInstruction(value) != NULL)
    read_place(value, alloca, place);
  else
    read_position(value, LLVMGetDebugLocLine(value), place);
}
