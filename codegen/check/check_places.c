/* The collector finds references in variables by their types. So a word must be accessed as a
 * reference exactly if its variable, parameter or structure type declares one. Places without a
 * type (memory of C, results of address arithmetic) are not judged. */
#include "codegen/check/check.h"

#include <llvm-c/Target.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"

static const struct objection hidden_in_global = {
    12,
    "a reference is stored in a global variable whose type does not show it, so it is not a root",
    "declare the word as a reference (in C, not in a union), or keep it in an object or a handle"};
static const struct objection hidden_in_variable = {
    12,
    "a local variable holds a reference at a place that its type does not show, so the collector "
    "would not find it",
    "declare the variable with the type of its contents"};
static const struct objection too_many_places = {
    12, "the place of a reference may be in more than 64 local or global variables",
    "choose among fewer variables, or keep the references in an array or an object"};
static const struct objection hidden_in_structure = {
    12, "a reference is read or written at a place that is declared as a number",
    "declare the word as a reference (in C, take it out of the union, with one structure for each "
    "variant, or use spgc_value of spgc/value.h for a word that is a reference or a number)"};
static const struct objection number = {
    11,
    "a word that is declared as a reference is read or written as a number, and the collector does "
    "not update numbers",
    "read and write it as the reference, and cast that; in C, replace a union by spgc_value of "
    "spgc/value.h or by one structure for each variant, and atomic integers by the exchanges of "
    "spgc/managed.h"};
static const struct objection copied = {
    18, "one place of a copy declares a word as a reference, and the other declares it as a number",
    "give both places the same type, or copy the fields one by one"};

struct access {
  LLVMValueRef address;
  LLVMTypeRef type;
  bool is_constant; /* a whole word of the program, never an object's address */
};

static LLVMTargetDataRef data_of(LLVMValueRef instruction) {
  return LLVMGetModuleDataLayout(spgc_ir_module_of(instruction));
}

static struct access access_of(LLVMValueRef instruction) {
  if (LLVMIsALoadInst(instruction) || spgc_ir_is_intrinsic(instruction, "llvm.masked.load.") ||
      spgc_ir_is_intrinsic(instruction, "llvm.masked.expandload."))
    return (struct access){LLVMGetOperand(instruction, 0), LLVMTypeOf(instruction), false};
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL)
    return (struct access){0};
  LLVMTypeRef type = LLVMTypeOf(write.value);
  bool is_constant = LLVMIsAStoreInst(instruction) != NULL &&
                     LLVMIsAConstant(write.value) != NULL &&
                     LLVMStoreSizeOfType(data_of(instruction), type) >= IR_WORD;
  return (struct access){write.address, type, is_constant};
}

static bool is_reference_at(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t offset) {
  return spgc_storage_at(data, (struct place){type, 0}, offset) == STORAGE_REFERENCE;
}

static bool contains_references(struct place place) {
  return place.type != NULL && spgc_ir_type_contains_reference(place.type);
}

static bool hides(LLVMTargetDataRef data, struct place place, LLVMTypeRef type) {
  uint64_t bytes = LLVMStoreSizeOfType(data, type);
  if (!spgc_ir_type_contains_reference(type))
    return false;
  for (uint64_t at = 0; at < bytes; at += IR_WORD)
    if (is_reference_at(data, type, at) && spgc_storage_at(data, place, at) == STORAGE_NUMBER)
      return true;
  return false;
}

/* A vector or structure may span several words. */
static bool makes_number(LLVMTargetDataRef data, struct place place, LLVMTypeRef type) {
  uint64_t bytes = LLVMStoreSizeOfType(data, type);
  if (!contains_references(place))
    return false;
  for (uint64_t at = 0; at < bytes; at++)
    if ((at == 0 || (place.offset + at) % IR_WORD == 0) && !is_reference_at(data, type, at) &&
        spgc_storage_at(data, place, at) == STORAGE_REFERENCE)
      return true;
  return false;
}

static const struct objection *judge(LLVMTargetDataRef data, struct place place,
                                     const struct access *access,
                                     const struct objection *objection) {
  if (hides(data, place, access->type))
    return objection;
  return !access->is_constant && makes_number(data, place, access->type) ? &number : NULL;
}

static const struct objection *judge_variable(LLVMTargetDataRef data,
                                              const struct variable_place *known,
                                              const struct access *access) {
  LLVMValueRef variable = known->variable;
  bool is_global = LLVMIsAGlobalVariable(variable) != NULL;
  const struct objection *hidden = is_global ? &hidden_in_global : &hidden_in_variable;
  LLVMTypeRef whole = LLVMIsAArgument(variable) ? NULL : spgc_type_of_variable(variable);
  if (known->place.type == NULL && whole != NULL)
    return spgc_ir_type_contains_reference(access->type) && !spgc_ir_type_contains_reference(whole)
               ? hidden
               : NULL;
  return judge(data, known->place, access, hidden);
}

static const struct objection *judge_in_variables(LLVMTargetDataRef data, struct access access,
                                                  unsigned *variables) {
  struct places places;
  *variables = 0;
  if (spgc_ir_is_reference(access.address))
    return NULL;
  spgc_places_of(data, access.address, &places);
  *variables = places.count;
  const struct objection *objection = NULL;
  if (!places.are_all && spgc_ir_type_contains_reference(access.type))
    objection = &too_many_places;
  for (unsigned i = 0; i < places.count && objection == NULL; i++)
    objection = judge_variable(data, &places.at[i], &access);
  return objection;
}

static const struct objection *judge_access(LLVMValueRef instruction, struct access access) {
  LLVMTargetDataRef data = data_of(instruction);
  unsigned variables;
  if (spgc_ir_is_thread_word(access.address))
    return NULL;
  const struct objection *objection = judge_in_variables(data, access, &variables);
  if (objection == NULL && variables == 0)
    objection = judge(data, spgc_place_of(data, access.address), &access, &hidden_in_structure);
  return objection;
}

/* The callee accesses the memory of byval and sret arguments. */
static const struct objection *judge_arguments(LLVMValueRef call) {
  const struct objection *objection = NULL;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && objection == NULL; i++) {
    LLVMTypeRef memory = spgc_ir_memory_of_argument(call, i);
    if (memory != NULL)
      objection = judge_access(call, (struct access){LLVMGetArgOperand(call, i), memory, false});
  }
  return objection;
}

static const struct objection *accesses_fit(LLVMValueRef instruction) {
  struct access access = access_of(instruction);
  if (access.address != NULL)
    return judge_access(instruction, access);
  return spgc_ir_is_call(instruction) ? judge_arguments(instruction) : NULL;
}

static uint64_t bytes_written(LLVMTargetDataRef data, LLVMValueRef call, struct place place) {
  LLVMValueRef length = LLVMGetOperand(call, IR_COPY_LENGTH);
  uint64_t size = spgc_storage_size(data, place);
  bool is_less = LLVMIsAConstantInt(length) != NULL && LLVMConstIntGetZExtValue(length) < size;
  return is_less ? LLVMConstIntGetZExtValue(length) : size;
}

static const struct objection *copies_fit(LLVMValueRef instruction) {
  if (!spgc_ir_is_memory_transfer(instruction) ||
      spgc_ir_points_to_constant(LLVMGetOperand(instruction, IR_COPY_SOURCE)))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  struct place to = spgc_place_of(data, LLVMGetOperand(instruction, IR_COPY_DESTINATION)),
               from = spgc_place_of(data, LLVMGetOperand(instruction, IR_COPY_SOURCE));
  if (to.type == NULL || from.type == NULL ||
      !(contains_references(to) || contains_references(from)))
    return NULL;
  uint64_t to_bytes = bytes_written(data, instruction, to);
  uint64_t from_bytes = bytes_written(data, instruction, from);
  uint64_t bytes = to_bytes < from_bytes ? to_bytes : from_bytes;
  for (uint64_t at = 0; at < bytes; at += IR_WORD) {
    bool is_part = bytes - at < IR_WORD;
    bool is_reference = spgc_storage_at(data, to, at) == STORAGE_REFERENCE;
    if (is_reference != (spgc_storage_at(data, from, at) == STORAGE_REFERENCE) ||
        (is_reference && is_part))
      return &copied;
  }
  return NULL;
}

/* A constant byte, as of clang's -ftrivial-auto-var-init=pattern, may fill references: no object
 * has such an address. */
static const struct objection *fills_fit(LLVMValueRef instruction) {
  enum { VALUE = 1 };
  if (!spgc_ir_is_intrinsic(instruction, "llvm.memset."))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  struct place place = spgc_place_of(data, LLVMGetOperand(instruction, IR_COPY_DESTINATION));
  if (!contains_references(place))
    return NULL;
  uint64_t bytes = bytes_written(data, instruction, place);
  for (uint64_t at = 0; at < bytes; at += IR_WORD) {
    bool is_whole = bytes - at >= IR_WORD && (place.offset + at) % IR_WORD == 0;
    if (spgc_storage_at(data, place, at) == STORAGE_REFERENCE &&
        !(is_whole && LLVMIsAConstantInt(LLVMGetOperand(instruction, VALUE)) != NULL))
      return &number;
  }
  return NULL;
}

const struct objection *spgc_check_places(LLVMValueRef instruction) {
  static const struct rule rules[] = {JUDGE(accesses_fit), JUDGE(copies_fit), JUDGE(fills_fit)};
  return FIRST_OBJECTION(rules, instruction);
}

/* Only variables, because LLVM's passes drop structure types from address arithmetic. */
const struct objection *spgc_check_places_in_variables(LLVMValueRef instruction) {
  struct access access = access_of(instruction);
  unsigned variables;
  return access.address != NULL && !spgc_ir_is_thread_word(access.address)
             ? judge_in_variables(data_of(instruction), access, &variables)
             : NULL;
}

LLVMValueRef spgc_variable_of_access(LLVMValueRef instruction) {
  struct access access = access_of(instruction);
  struct places places;
  if (access.address == NULL || spgc_ir_is_reference(access.address))
    return NULL;
  spgc_places_of(data_of(instruction), access.address, &places);
  return places.count != 0 ? LLVMIsAAllocaInst(places.at[0].variable) : NULL;
}
