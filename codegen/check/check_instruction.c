#include "codegen/check/check.h"

#include <llvm-c/Target.h>

#include "codegen/ir/ir.h"

static bool no_objects_on_the_stack(LLVMValueRef instruction) {
  return !LLVMIsAAllocaInst(instruction) || !spgc_ir_is_reference(instruction);
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

static bool contains_reference_cast(LLVMValueRef value) {
  if (is_reference_cast(value))
    return true;
  for (int i = 0; LLVMIsAConstantExpr(value) != NULL && i < LLVMGetNumOperands(value); i++)
    if (contains_reference_cast(LLVMGetOperand(value, (unsigned)i)))
      return true;
  return false;
}

static bool no_casts_to_references(LLVMValueRef instruction) {
  if (contains_reference_cast(instruction))
    return false;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (contains_reference_cast(LLVMGetOperand(instruction, (unsigned)i)))
      return false;
  return true;
}

static bool no_reference_from_varargs(LLVMValueRef instruction) {
  return !LLVMIsAVAArgInst(instruction) ||
         !spgc_ir_type_contains_reference(LLVMTypeOf(instruction));
}

static const struct objection *is_fixed(LLVMTypeRef type) {
  static const struct objection scalable = {45, "scalable vectors are not supported",
                                            "use vectors of fixed length"};
  return spgc_ir_type_is_scalable(type) ? &scalable : NULL;
}

const struct objection *spgc_check_types_of_function(LLVMValueRef function) {
  if (LLVMGetIntrinsicID(function) != 0)
    return NULL;
  const struct objection *objection = is_fixed(LLVMGetReturnType(LLVMGlobalGetValueType(function)));
  for (unsigned i = 0; objection == NULL && i < LLVMCountParams(function); i++)
    objection = is_fixed(LLVMTypeOf(LLVMGetParam(function, i)));
  return objection;
}

const struct objection *spgc_check_types(LLVMValueRef instruction) {
  const struct objection *objection = is_fixed(
      LLVMIsAAllocaInst(instruction) ? LLVMGetAllocatedType(instruction) : LLVMTypeOf(instruction));
  for (int i = 0; objection == NULL && i < LLVMGetNumOperands(instruction); i++)
    objection = is_fixed(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i)));
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

static bool atomics_are_words_at_most(LLVMValueRef instruction) {
  LLVMTypeRef type = atomic_type(instruction);
  return type == NULL || !spgc_ir_is_reference(spgc_ir_address_accessed(instruction)) ||
         LLVMStoreSizeOfType(LLVMGetModuleDataLayout(spgc_ir_module_of(instruction)), type) <=
             LARGEST_ATOMIC;
}

/* The code generator expects a pointer and a number. */
static bool no_token_resumed(LLVMValueRef instruction) {
  return !LLVMIsAResumeInst(instruction) ||
         LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, 0))) != LLVMTokenTypeKind;
}

static const struct rule instruction_rules[] = {
    RULE(no_objects_on_the_stack, 24, "an alloca in addrspace(1) is not an object of the heap",
         "allocate with spgc_allocate, or in address space 0"),
    RULE(no_casts_to_references, 3,
         "a cast between a reference and an ordinary pointer makes a pointer the collector does "
         "not update",
         "keep references in addrspace(1) (in C, in every pointer type on the way); box addresses "
         "of unmanaged memory with inttoptr"),
    RULE(atomics_are_words_at_most, 41,
         "objects are aligned to 8 bytes, and an atomic access of 16 bytes needs more",
         "use atomic accesses of at most 8 bytes"),
    RULE(no_token_resumed, 40, "LLVM cannot resume the token of a landing pad",
         "call _Unwind_Resume with the exception (spgc/exception.h), and write unreachable"),
};

const struct objection *spgc_check_instruction(LLVMValueRef instruction) {
  return FIRST_OBJECTION(instruction_rules, instruction);
}

static bool landing_pads_are_tokens(LLVMValueRef instruction) {
  return !LLVMIsALandingPadInst(instruction) ||
         LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMTokenTypeKind;
}

static bool no_funclets(LLVMValueRef instruction) {
  return !LLVMIsACatchSwitchInst(instruction) && !LLVMIsAFuncletPadInst(instruction);
}

static bool no_stored_interior_pointer(LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  return write.address == NULL || !spgc_ir_is_derived(write.value) ||
         spgc_ir_is_thread_word(write.address) || spgc_ir_underlying_alloca(write.address) != NULL;
}

static bool no_returned_interior_pointer(LLVMValueRef instruction) {
  bool returns = LLVMIsAReturnInst(instruction) && LLVMGetNumOperands(instruction) != 0;
  return !returns || !spgc_ir_is_derived(LLVMGetOperand(instruction, 0));
}

/* A pointer extracted from a structure counts as an object's address. */
static bool no_interior_pointer_in_structure(LLVMValueRef instruction) {
  return !LLVMIsAInsertValueInst(instruction) ||
         !spgc_ir_is_derived(LLVMGetOperand(instruction, 1));
}

static const struct rule kept_reference_rules[] = {
    RULE(no_stored_interior_pointer, 1,
         "an interior pointer is stored, and the collector takes every reference in memory for the "
         "address of an object",
         "store the object's own address and keep the offset (in C, an index) in a field of its "
         "own"),
    RULE(no_returned_interior_pointer, 1,
         "an interior pointer is returned, and the caller takes it for the address of an object",
         "return the object's own address, and the offset (in C, an index) separately"),
    RULE(no_interior_pointer_in_structure, 1,
         "an interior pointer becomes part of a structure value, and a pointer taken from it "
         "counts as the address of an object",
         "put in the object's own address, and the offset separately"),
};

const struct objection *spgc_check_kept_reference(LLVMValueRef instruction) {
  return FIRST_OBJECTION(kept_reference_rules, instruction);
}

static const struct rule managed_instruction_rules[] = {
    RULE(landing_pads_are_tokens, 40,
         "a landing pad must be a token, which the relocations of its statepoint refer to",
         "write `landingpad token` and get the exception from spgc_exception() (spgc/exception.h); "
         "compile C++ with -fno-exceptions"),
    RULE(no_funclets, 40, "funclets are not supported in managed functions",
         "use invoke and `landingpad token`"),
    RULE(no_reference_from_varargs, 29,
         "variable arguments are in memory that the collector does not see",
         "pass references as declared parameters"),
};

const struct objection *spgc_check_managed_instruction(LLVMValueRef instruction) {
  return FIRST_OBJECTION(managed_instruction_rules, instruction);
}
