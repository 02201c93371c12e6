/* Words of local variables that are declared as references and also used as numbers: members of a
 * union in C.
 *
 * Promotion would give such a word the type of the number, and a reference copied into it would
 * cross a safepoint as a number. So numbers are read from the word and written to it as references;
 * references may be numbers outside the heap. An access to several words (a vector, a wide integer)
 * is one of each word.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"

enum { WORD = sizeof(uint64_t), BITS_OF_BYTE = 8 };

/* `in_word` and `size` are in bytes. An access is to a part of one word, or to all of some. */
struct access {
  LLVMValueRef instruction, address;
  LLVMTypeRef type;
  struct place place; /* of its first word */
  uint64_t in_word, size;
};

static LLVMTypeRef integer(LLVMValueRef value, uint64_t bytes) {
  return LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)),
                              (unsigned)bytes * BITS_OF_BYTE);
}

static LLVMTypeRef reference_type(LLVMValueRef value) {
  return LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)),
                                  IR_REFERENCE_ADDRESS_SPACE);
}

static LLVMTypeRef element_of(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static bool has_pointers(LLVMTypeRef type) {
  return LLVMGetTypeKind(element_of(type)) == LLVMPointerTypeKind;
}

/* Converts from integers of the same size. */
static LLVMValueRef from_integers(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type) {
  return has_pointers(type) ? LLVMBuildIntToPtr(builder, value, type, "")
                            : LLVMBuildBitCast(builder, value, type, "");
}

static LLVMValueRef to_integers(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type) {
  return has_pointers(LLVMTypeOf(value)) ? LLVMBuildPtrToInt(builder, value, type, "")
                                         : LLVMBuildBitCast(builder, value, type, "");
}

static LLVMValueRef moved(LLVMBuilderRef builder, LLVMValueRef address, uint64_t bytes) {
  LLVMValueRef distance = LLVMConstInt(integer(address, WORD), bytes, true);
  return bytes == 0 ? address
                    : LLVMBuildGEP2(builder, integer(address, 1), address, &distance, 1, "");
}

static bool is_reference(LLVMTargetDataRef data, struct place place, uint64_t offset) {
  return spgc_storage_at(data, place, offset) == STORAGE_REFERENCE;
}

/* Reads a word of the access; volatile if the access is. */
static LLVMValueRef load(LLVMBuilderRef builder, const struct access *access, LLVMTypeRef type,
                         LLVMValueRef address) {
  LLVMValueRef value = LLVMBuildLoad2(builder, type, address, "");
  LLVMSetVolatile(value, LLVMGetVolatile(access->instruction));
  return value;
}

static void store(LLVMBuilderRef builder, const struct access *access, LLVMValueRef value,
                  LLVMValueRef address) {
  LLVMSetVolatile(LLVMBuildStore(builder, value, address), LLVMGetVolatile(access->instruction));
}

static LLVMValueRef read_reference(LLVMBuilderRef builder, const struct access *access,
                                   LLVMValueRef address) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
  return spgc_read_address(builder, module,
                           load(builder, access, reference_type(address), address));
}

static void write_reference(LLVMBuilderRef builder, const struct access *access,
                            LLVMValueRef number, LLVMValueRef address) {
  store(builder, access, LLVMBuildIntToPtr(builder, number, reference_type(number), ""), address);
}

static LLVMValueRef read_number(LLVMBuilderRef builder, const struct access *access) {
  LLVMValueRef address = access->address;
  LLVMValueRef number =
      read_reference(builder, access, moved(builder, address, 0 - access->in_word));
  if (access->in_word != 0)
    number =
        LLVMBuildLShr(builder, number,
                      LLVMConstInt(LLVMTypeOf(number), access->in_word * BITS_OF_BYTE, false), "");
  return from_integers(builder, LLVMBuildTrunc(builder, number, integer(address, access->size), ""),
                       access->type);
}

static LLVMTypeRef words_type(const struct access *access) {
  return LLVMVectorType(integer(access->address, WORD), (unsigned)(access->size / WORD));
}

static LLVMValueRef read_words(LLVMBuilderRef builder, LLVMTargetDataRef data,
                               const struct access *access) {
  LLVMTypeRef word = integer(access->address, WORD);
  LLVMValueRef words = LLVMGetPoison(words_type(access));
  for (uint64_t at = 0; at < access->size; at += WORD) {
    LLVMValueRef address = moved(builder, access->address, at);
    LLVMValueRef number = is_reference(data, access->place, at)
                              ? read_reference(builder, access, address)
                              : load(builder, access, word, address);
    words =
        LLVMBuildInsertElement(builder, words, number, LLVMConstInt(word, at / WORD, false), "");
  }
  return from_integers(builder, words, access->type);
}

static void write_words(LLVMBuilderRef builder, LLVMTargetDataRef data,
                        const struct access *access) {
  LLVMTypeRef word = integer(access->address, WORD);
  LLVMValueRef words =
      to_integers(builder, LLVMGetOperand(access->instruction, 0), words_type(access));
  for (uint64_t at = 0; at < access->size; at += WORD) {
    LLVMValueRef address = moved(builder, access->address, at);
    LLVMValueRef number =
        LLVMBuildExtractElement(builder, words, LLVMConstInt(word, at / WORD, false), "");
    if (is_reference(data, access->place, at))
      write_reference(builder, access, number, address);
    else
      store(builder, access, number, address);
  }
}

static void rewrite(LLVMTargetDataRef data, const struct access *access) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(access->type));
  LLVMPositionBuilderBefore(builder, access->instruction);
  bool one = access->size <= WORD;
  if (LLVMIsALoadInst(access->instruction))
    LLVMReplaceAllUsesWith(access->instruction,
                           one ? read_number(builder, access) : read_words(builder, data, access));
  else if (one)
    write_reference(builder, access,
                    to_integers(builder, LLVMGetOperand(access->instruction, 0),
                                integer(access->address, WORD)),
                    access->address);
  else
    write_words(builder, data, access);
  LLVMInstructionEraseFromParent(access->instruction);
  LLVMDisposeBuilder(builder);
}

static bool is_number_kind(LLVMTypeKind kind) {
  switch (kind) {
  case LLVMIntegerTypeKind:
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
  case LLVMPointerTypeKind: return true;
  default: return false;
  }
}

/* True for one number or ordinary pointer, or a vector of them, of whole bytes. */
static bool is_number(LLVMTargetDataRef data, LLVMTypeRef type) {
  return is_number_kind(LLVMGetTypeKind(element_of(type))) &&
         !spgc_ir_type_is_reference(element_of(type)) &&
         LLVMSizeOfTypeInBits(data, type) == LLVMStoreSizeOfType(data, type) * BITS_OF_BYTE;
}

/* True for an access to numbers in words of a local variable of which one is declared as a
 * reference. */
static bool is_shared(LLVMTargetDataRef data, LLVMValueRef instruction, struct access *access) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  if (!store && !LLVMIsALoadInst(instruction))
    return false;
  LLVMValueRef address = LLVMGetOperand(instruction, store ? 1 : 0);
  LLVMTypeRef type = store ? LLVMTypeOf(LLVMGetOperand(instruction, 0)) : LLVMTypeOf(instruction);
  if (LLVMIsAAllocaInst(spgc_ir_underlying_object(address)) == NULL || !is_number(data, type))
    return false;
  struct place place = spgc_place_of(data, address);
  *access = (struct access){.instruction = instruction,
                            .address = address,
                            .type = type,
                            .in_word = place.offset % WORD,
                            .size = LLVMStoreSizeOfType(data, type)};
  place.offset -= access->in_word;
  access->place = place;
  if (access->in_word + access->size <= WORD)
    return is_reference(data, place, 0) && (!store || access->size == WORD);
  bool any = false;
  for (uint64_t at = 0; at < access->size; at += WORD)
    any = any || is_reference(data, place, at);
  return any && access->in_word == 0 && access->size % WORD == 0 &&
         LLVMGetOrdering(instruction) == LLVMAtomicOrderingNotAtomic;
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
          rewrite(data, &access);
      }
  }
  return SPGC_OK;
}
