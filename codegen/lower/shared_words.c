/* Words of local variables that are declared as references and also used as numbers: members of a
 * union in C.
 *
 * Promotion would give such a word the type of the number, and a reference copied into it would
 * cross a safepoint as a number. So numbers are read from the word and written to it as references;
 * references may be numbers outside the heap.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"

enum { WORD = sizeof(uint64_t), BITS_OF_BYTE = 8 };

struct access {
  LLVMValueRef instruction, address;
  LLVMTypeRef type;
  uint64_t in_word, size; /* bytes */
};

static LLVMTypeRef integer(LLVMValueRef value, uint64_t bytes) {
  return LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)),
                              (unsigned)bytes * BITS_OF_BYTE);
}

static LLVMTypeRef reference_type(LLVMValueRef value) {
  return LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)),
                                  IR_REFERENCE_ADDRESS_SPACE);
}

/* Converts from the integer of the same size. */
static LLVMValueRef from_integer(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return value;
  case LLVMPointerTypeKind: return LLVMBuildIntToPtr(builder, value, type, "");
  default: return LLVMBuildBitCast(builder, value, type, "");
  }
}

static LLVMValueRef to_integer(LLVMBuilderRef builder, LLVMValueRef value) {
  switch (LLVMGetTypeKind(LLVMTypeOf(value))) {
  case LLVMIntegerTypeKind: return value;
  case LLVMPointerTypeKind: return LLVMBuildPtrToInt(builder, value, integer(value, WORD), "");
  default: return LLVMBuildBitCast(builder, value, integer(value, WORD), "");
  }
}

static LLVMValueRef read_number(LLVMBuilderRef builder, const struct access *access) {
  LLVMValueRef address = access->address;
  LLVMTypeRef word = integer(address, WORD);
  if (access->in_word != 0) {
    LLVMValueRef back = LLVMConstInt(word, 0 - access->in_word, true);
    address = LLVMBuildGEP2(builder, integer(address, 1), address, &back, 1, "");
  }
  LLVMValueRef reference = LLVMBuildLoad2(builder, reference_type(address), address, "");
  LLVMModuleRef module =
      LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(access->instruction)));
  LLVMValueRef number = spgc_read_address(builder, module, reference);
  if (access->in_word != 0)
    number = LLVMBuildLShr(builder, number,
                           LLVMConstInt(word, access->in_word * BITS_OF_BYTE, false), "");
  return from_integer(builder, LLVMBuildTrunc(builder, number, integer(address, access->size), ""),
                      access->type);
}

static void rewrite(const struct access *access) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(access->type));
  LLVMPositionBuilderBefore(builder, access->instruction);
  if (LLVMIsALoadInst(access->instruction)) {
    LLVMReplaceAllUsesWith(access->instruction, read_number(builder, access));
  } else {
    LLVMValueRef number = to_integer(builder, LLVMGetOperand(access->instruction, 0));
    LLVMBuildStore(builder, LLVMBuildIntToPtr(builder, number, reference_type(number), ""),
                   access->address);
  }
  LLVMInstructionEraseFromParent(access->instruction);
  LLVMDisposeBuilder(builder);
}

static bool is_number(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMIntegerTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind ||
         (kind == LLVMPointerTypeKind && !spgc_ir_type_is_reference(type));
}

/* True for an access to a number in a local variable's word that is declared as a reference. */
static bool is_shared(LLVMTargetDataRef data, LLVMValueRef instruction, struct access *access) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  if ((!store && !LLVMIsALoadInst(instruction)) || LLVMGetVolatile(instruction))
    return false;
  LLVMValueRef address = LLVMGetOperand(instruction, store ? 1 : 0);
  LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(instruction, 0)) : LLVMTypeOf(instruction);
  if (LLVMIsAAllocaInst(spgc_ir_underlying_object(address)) == NULL || !is_number(type))
    return false;
  struct place place = spgc_place_of(data, address);
  *access = (struct access){instruction, address, type, place.offset % WORD,
                            LLVMStoreSizeOfType(data, type)};
  place.offset -= access->in_word;
  return spgc_storage_at(data, place, 0) == STORAGE_REFERENCE &&
         access->in_word + access->size <= WORD && (!store || access->size == WORD);
}

enum spgc_result spgc_show_shared_words(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module) {
    if (!spgc_ir_function_is_managed(function))
      continue;
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        struct access access;
        next = LLVMGetNextInstruction(instruction);
        if (is_shared(data, instruction, &access))
          rewrite(&access);
      }
  }
  return SPGC_OK;
}
