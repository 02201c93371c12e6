/* Calls that access words that pass through the program as numbers and may be references: masked
 * loads and stores, other intrinsics that load or store vectors, and functions of the C library.
 *
 * The optimiser merges two masked loads around a safepoint, as it does with loads (words.c), and it
 * makes loads and stores of numbers of masked accesses whose mask it knows, and of memcmp, memcpy
 * and their checking forms. So each such call is one of a function that the optimiser does not
 * know, until nothing comes any more that might merge them. It may read and write any memory,
 * because a gather has many addresses.
 */
#include "codegen/ir/access_type.h"
#include "codegen/ir/hidden.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"

enum { WORD = sizeof(uint64_t) };

/* The numbers that a masked access loads or stores; NULL for other instructions. */
static LLVMValueRef accessed(LLVMValueRef instruction) {
  static const char *const loads[] = {"llvm.masked.load.", "llvm.masked.gather.",
                                      "llvm.masked.expandload."},
                           *const stores[] = {"llvm.masked.store.", "llvm.masked.scatter.",
                                              "llvm.masked.compressstore."};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
    if (spgc_ir_is_intrinsic(instruction, loads[i]))
      return instruction;
  for (size_t i = 0; i < sizeof stores / sizeof *stores; i++)
    if (spgc_ir_is_intrinsic(instruction, stores[i]))
      return LLVMGetArgOperand(instruction, 0);
  return NULL;
}

static bool may_be_references(LLVMTargetDataRef data, LLVMValueRef instruction) {
  LLVMValueRef value = accessed(instruction);
  return value != NULL && !spgc_ir_type_contains_reference(LLVMTypeOf(value)) &&
         LLVMStoreSizeOfType(data, LLVMGetElementType(LLVMTypeOf(value))) >= WORD &&
         !spgc_access_is_of_number(instruction);
}

/* A vector that passes through the program as a number and may hold a word. */
static bool is_vector_of_words(LLVMTargetDataRef data, LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind && !spgc_ir_type_contains_reference(type) &&
         LLVMStoreSizeOfType(data, type) >= WORD;
}

/* True if the result or an argument is such a vector. */
static bool passes_vector(LLVMTargetDataRef data, LLVMValueRef call) {
  bool passes = is_vector_of_words(data, LLVMTypeOf(call));
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    passes = passes || is_vector_of_words(data, LLVMTypeOf(LLVMGetArgOperand(call, i)));
  return passes;
}

static bool takes_address_of_reference(LLVMTargetDataRef data, LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMValueRef argument = LLVMGetArgOperand(call, i);
    if (LLVMGetTypeKind(LLVMTypeOf(argument)) == LLVMPointerTypeKind &&
        spgc_leads_to_reference(data, argument))
      return true;
  }
  return false;
}

/* An intrinsic, most often one of the processor, that loads or stores a vector. */
static bool is_vector_access(LLVMTargetDataRef data, LLVMValueRef instruction) {
  return spgc_ir_is_any_intrinsic(instruction) && accessed(instruction) == NULL &&
         passes_vector(data, instruction) && takes_address_of_reference(data, instruction) &&
         !spgc_access_is_of_number(instruction);
}

enum { FIRST, SECOND, LENGTH, ARGUMENTS };

/* True if it is known that less than a word is accessed, or no word that may be a reference. */
static bool accesses_no_word(LLVMTargetDataRef data, LLVMValueRef call) {
  LLVMValueRef length = LLVMGetArgOperand(call, LENGTH);
  if (LLVMIsAConstantInt(length) != NULL && LLVMConstIntGetZExtValue(length) < WORD)
    return true;
  return !spgc_leads_to_reference(data, LLVMGetArgOperand(call, FIRST)) &&
         !spgc_leads_to_reference(data, LLVMGetArgOperand(call, SECOND));
}

/* Those that optimisers know by name. */
static bool is_library_access(LLVMTargetDataRef data, LLVMValueRef instruction) {
  static const char *const names[] = {"memcmp",       "bcmp",          "memcpy",
                                      "memmove",      "mempcpy",       "bcopy",
                                      "__memcpy_chk", "__memmove_chk", "__mempcpy_chk"};
  LLVMValueRef callee = spgc_ir_is_call(instruction) ? spgc_ir_callee(instruction) : NULL;
  if (callee == NULL || LLVMIsAFunction(callee) == NULL || !LLVMIsDeclaration(callee) ||
      spgc_ir_call_is_musttail(instruction))
    return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (spgc_ir_name_is(callee, names[i]))
      return LLVMGetNumArgOperands(instruction) >= ARGUMENTS &&
             !accesses_no_word(data, instruction);
  return false;
}

enum spgc_result spgc_hide_word_calls(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  if (!spgc_has_safepoints(lowering->module))
    return SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (may_be_references(data, instruction) || is_vector_access(data, instruction) ||
            is_library_access(data, instruction)) {
          lowering->hides_words = true;
          spgc_hide_call(instruction);
        }
  return SPGC_OK;
}
