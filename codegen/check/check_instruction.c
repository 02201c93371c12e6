/* Rules for single instructions. */
#include "codegen/check/check.h"

#include <llvm-c/Target.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/write.h"

static const struct objection *no_objects_on_the_stack(LLVMValueRef instruction) {
  static const struct objection objection = {24,
                                             "an alloca in addrspace(1) is no object of the heap",
                                             "allocate with spgc_allocate, or in address space 0"};
  return LLVMIsAAllocaInst(instruction) && spgc_ir_is_reference(instruction) ? &objection : NULL;
}

static bool is_reference_cast(LLVMValueRef value) {
  bool is_cast =
      LLVMIsAAddrSpaceCastInst(value) != NULL ||
      (LLVMIsAConstantExpr(value) != NULL && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast);
  if (!is_cast)
    return false;
  LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(value, 0)), to = LLVMTypeOf(value);
  return spgc_ir_type_contains_reference(from) || spgc_ir_type_contains_reference(to);
}

/* Constant expressions nest, e.g. address arithmetic on a cast. */
static bool contains_reference_cast(LLVMValueRef value) {
  if (is_reference_cast(value))
    return true;
  for (int i = 0; LLVMIsAConstantExpr(value) != NULL && i < LLVMGetNumOperands(value); i++)
    if (contains_reference_cast(LLVMGetOperand(value, (unsigned)i)))
      return true;
  return false;
}

static const struct objection *no_casts_to_references(LLVMValueRef instruction) {
  static const struct objection objection = {
      3,
      "a cast between a reference and an ordinary pointer makes a pointer the collector does not "
      "update",
      "keep references in addrspace(1) (in C, in every pointer type on the way); box addresses of "
      "unmanaged memory with inttoptr"};
  if (contains_reference_cast(instruction))
    return &objection;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (contains_reference_cast(LLVMGetOperand(instruction, (unsigned)i)))
      return &objection;
  return NULL;
}

static const struct objection *no_reference_from_varargs(LLVMValueRef instruction) {
  static const struct objection objection = {
      29, "variable arguments lie in memory the collector does not see",
      "pass references as declared parameters"};
  bool reads =
      LLVMIsAVAArgInst(instruction) && spgc_ir_type_contains_reference(LLVMTypeOf(instruction));
  return reads ? &objection : NULL;
}

/* LLVM ends the process when it meets a type that the processor does not have. */
static const struct objection *type_is_known(LLVMTypeRef type) {
  static const struct objection scalable = {45, "no scalable vectors are compiled",
                                            "use vectors of fixed length"};
  static const struct objection foreign = {47, "its type is another processor's",
                                           "use types of this processor"};
  if (spgc_ir_type_is_scalable(type))
    return &scalable;
  return LLVMGetTypeKind(type) == LLVMTargetExtTypeKind ? &foreign : NULL;
}

const struct objection *spgc_check_types_of_function(LLVMValueRef function) {
  if (LLVMGetIntrinsicID(function) != 0)
    return NULL;
  const struct objection *objection =
      type_is_known(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
  for (unsigned i = 0; objection == NULL && i < LLVMCountParams(function); i++)
    objection = type_is_known(LLVMTypeOf(LLVMGetParam(function, i)));
  return objection;
}

static const struct objection *types_are_known(LLVMValueRef instruction) {
  const struct objection *objection = type_is_known(
      LLVMIsAAllocaInst(instruction) ? LLVMGetAllocatedType(instruction) : LLVMTypeOf(instruction));
  for (int i = 0; objection == NULL && i < LLVMGetNumOperands(instruction); i++)
    objection = type_is_known(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i)));
  return objection;
}

enum { LARGEST_ATOMIC = 8 };

static LLVMTypeRef atomic_type(LLVMValueRef instruction) {
  if (LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction))
    return LLVMTypeOf(LLVMGetOperand(instruction, 1));
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  if ((!store && !LLVMIsALoadInst(instruction)) ||
      LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic)
    return NULL;
  return store ? LLVMTypeOf(LLVMGetOperand(instruction, 0)) : LLVMTypeOf(instruction);
}

static const struct objection *atomics_are_words_at_most(LLVMValueRef instruction) {
  static const struct objection objection = {
      41, "objects are aligned to 8 bytes, and an atomic access of 16 is not",
      "use atomic accesses of at most 8 bytes"};
  LLVMTypeRef type = atomic_type(instruction);
  if (type == NULL ||
      !spgc_ir_is_reference(LLVMGetOperand(instruction, LLVMIsAStoreInst(instruction) ? 1 : 0)))
    return NULL;
  return LLVMStoreSizeOfType(LLVMGetModuleDataLayout(spgc_ir_module_of(instruction)), type) >
                 LARGEST_ATOMIC
             ? &objection
             : NULL;
}

/* The code generator takes what is resumed for a pointer and a number. */
static const struct objection *no_token_resumed(LLVMValueRef instruction) {
  static const struct objection objection = {
      40, "LLVM cannot resume the token of a landing pad",
      "call _Unwind_Resume with the exception (spgc/exception.h), and write unreachable"};
  return LLVMIsAResumeInst(instruction) &&
                 LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, 0))) == LLVMTokenTypeKind
             ? &objection
             : NULL;
}

const struct objection *spgc_check_instruction(LLVMValueRef instruction) {
  static check_rule *const rules[] = {no_objects_on_the_stack,   no_casts_to_references,
                                      types_are_known,           spgc_check_second_return,
                                      atomics_are_words_at_most, no_token_resumed,
                                      spgc_check_known_callee};
  return FIRST_OBJECTION(rules, instruction);
}

static const struct objection *landing_pads_are_tokens(LLVMValueRef instruction) {
  static const struct objection objection = {
      40, "a landing pad must be the token its statepoint's relocations hang on",
      "write `landingpad token` and get the exception from spgc_exception() (spgc/exception.h); "
      "compile C++ with -fno-exceptions"};
  if (!LLVMIsALandingPadInst(instruction))
    return NULL;
  return LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMTokenTypeKind ? NULL : &objection;
}

static const struct objection *no_funclets(LLVMValueRef instruction) {
  static const struct objection objection = {40, "funclets are not supported in managed functions",
                                             "use invoke and `landingpad token`"};
  bool funclet = LLVMIsACatchSwitchInst(instruction) || LLVMIsAFuncletPadInst(instruction);
  return funclet ? &objection : NULL;
}

static const struct objection *no_stored_interior_pointer(LLVMValueRef instruction) {
  static const struct objection objection = {
      1,
      "an interior pointer is stored, and the collector takes every reference in memory for the "
      "address of an object",
      "store the object's own address and keep the offset (in C, an index) in a field of its own"};
  struct write write = spgc_write_of(instruction);
  bool stored = write.address != NULL && spgc_ir_is_derived(write.value) &&
                !spgc_ir_is_thread_word(write.address) &&
                spgc_ir_underlying_alloca(write.address) == NULL;
  return stored ? &objection : NULL;
}

static const struct objection *no_returned_interior_pointer(LLVMValueRef instruction) {
  static const struct objection objection = {
      1, "an interior pointer is returned, and the caller takes it for the address of an object",
      "return the object's own address, and the offset (in C, an index) separately"};
  bool returns = LLVMIsAReturnInst(instruction) && LLVMGetNumOperands(instruction) != 0;
  return returns && spgc_ir_is_derived(LLVMGetOperand(instruction, 0)) ? &objection : NULL;
}

/* A pointer extracted from a structure counts as an object's address. */
static const struct objection *no_interior_pointer_in_structure(LLVMValueRef instruction) {
  static const struct objection objection = {
      1,
      "an interior pointer becomes part of a structure value, and a pointer taken from it counts "
      "as the address of an object",
      "put in the object's own address, and the offset separately"};
  return LLVMIsAInsertValueInst(instruction) && spgc_ir_is_derived(LLVMGetOperand(instruction, 1))
             ? &objection
             : NULL;
}

const struct objection *spgc_check_kept_reference(LLVMValueRef instruction) {
  static check_rule *const rules[] = {no_stored_interior_pointer, no_returned_interior_pointer,
                                      no_interior_pointer_in_structure};
  return FIRST_OBJECTION(rules, instruction);
}

const struct objection *spgc_check_managed_instruction(LLVMValueRef instruction) {
  static check_rule *const rules[] = {landing_pads_are_tokens, no_funclets,
                                      no_reference_from_varargs};
  return FIRST_OBJECTION(rules, instruction);
}
