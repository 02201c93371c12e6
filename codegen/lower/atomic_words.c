/* Atomic accesses to references, which clang writes as accesses to integers.
 *
 * `__atomic_exchange_n`, `__sync_bool_compare_and_swap` and C11's _Atomic pass the words of
 * references through casts, or through local variables that are declared as references and read as
 * integers. The optimiser may carry such an integer over a safepoint. So, before any optimisation,
 * an access becomes one to a reference if its word is declared as a reference, or if one of its
 * operands or its result is one. An integer operand next to a reference is cast to a reference
 * unchanged. Other users of the result, which need an integer, get the address as it was at the
 * access.
 */
#include "codegen/check/check.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"

enum { WORD = sizeof(uint64_t), WORD_BITS = 64, MOST_OPERANDS = 2 };

enum kind {
  ATOMIC_LOAD,
  ATOMIC_STORE,
  ATOMIC_EXCHANGE,
  ATOMIC_COMPUTATION,
  ATOMIC_COMPARE_EXCHANGE
};

struct atomic {
  LLVMValueRef instruction, address;
  enum kind kind;
  unsigned first_operand, operand_count; /* the values that the access takes */
  LLVMTypeRef type;                      /* the type of the memory at the address */
  LLVMTargetDataRef data;
};

static const struct objection several_words = {
    41,
    "an atomic access reads or writes several words at once as one number, and one of them may be "
    "a reference",
    "access one word at a time, or keep both in an object of their own and exchange the reference "
    "to that"};
static const struct objection computed_reference = {
    6,
    "an atomic instruction computes with a reference, and leaves a word in memory that is not an "
    "object's address",
    "compute with an index in a field of its own, or exchange references to objects"};

static bool is_atomic_access(LLVMValueRef instruction) {
  return LLVMGetOrdering(instruction) != LLVMAtomicOrderingNotAtomic;
}

static LLVMValueRef operand_of(const struct atomic *atomic, unsigned index) {
  return LLVMGetOperand(atomic->instruction, atomic->first_operand + index);
}

static bool describe(LLVMTargetDataRef data, LLVMValueRef instruction, struct atomic *atomic) {
  *atomic = (struct atomic){.instruction = instruction, .data = data};
  if (LLVMIsALoadInst(instruction) && is_atomic_access(instruction)) {
    atomic->kind = ATOMIC_LOAD;
  } else if (LLVMIsAStoreInst(instruction) && is_atomic_access(instruction)) {
    atomic->kind = ATOMIC_STORE;
    atomic->operand_count = 1;
  } else if (LLVMIsAAtomicRMWInst(instruction)) {
    bool exchanges = LLVMGetAtomicRMWBinOp(instruction) == LLVMAtomicRMWBinOpXchg;
    atomic->kind = exchanges ? ATOMIC_EXCHANGE : ATOMIC_COMPUTATION;
    atomic->first_operand = atomic->operand_count = 1;
  } else if (LLVMIsAAtomicCmpXchgInst(instruction)) {
    atomic->kind = ATOMIC_COMPARE_EXCHANGE;
    atomic->first_operand = 1;
    atomic->operand_count = 2;
  } else {
    return false;
  }
  atomic->address = LLVMGetOperand(instruction, atomic->kind == ATOMIC_STORE ? 1 : 0);
  atomic->type = LLVMTypeOf(atomic->kind == ATOMIC_LOAD ? instruction : operand_of(atomic, 0));
  return LLVMGetTypeKind(atomic->type) == LLVMIntegerTypeKind;
}

static enum storage storage_of(const struct atomic *atomic, LLVMValueRef pointer) {
  return spgc_storage_at(atomic->data, spgc_place_of(atomic->data, pointer), 0);
}

static LLVMValueRef number_load(LLVMValueRef value) {
  return LLVMIsALoadInst(value) && !is_atomic_access(value) ? value : NULL;
}

static bool is_store_of(LLVMValueRef user, LLVMValueRef value) {
  return LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && !is_atomic_access(user);
}

static bool is_cast_to_reference(LLVMValueRef value) {
  return LLVMIsAIntToPtrInst(value) != NULL && spgc_ir_is_reference(value);
}

/* The address of a field is a number that may well be stored as one. */
static bool is_cast_of_object(LLVMValueRef value) {
  return LLVMIsAPtrToIntInst(value) != NULL && spgc_ir_is_reference(LLVMGetOperand(value, 0)) &&
         LLVMIsAGetElementPtrInst(LLVMGetOperand(value, 0)) == NULL;
}

static bool operand_is_reference(const struct atomic *atomic, LLVMValueRef value) {
  LLVMValueRef load = number_load(value);
  return is_cast_of_object(value) ||
         (load != NULL && storage_of(atomic, LLVMGetOperand(load, 0)) == STORAGE_REFERENCE);
}

static bool value_becomes_reference(const struct atomic *atomic, LLVMValueRef value) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (is_cast_to_reference(user) ||
        (is_store_of(user, value) &&
         storage_of(atomic, LLVMGetOperand(user, 1)) == STORAGE_REFERENCE))
      return true;
  }
  return false;
}

static bool is_extraction(LLVMValueRef user, unsigned index) {
  return LLVMIsAExtractValueInst(user) != NULL && LLVMGetIndices(user)[0] == index;
}

static bool result_becomes_reference(const struct atomic *atomic) {
  if (atomic->kind != ATOMIC_COMPARE_EXCHANGE)
    return atomic->kind != ATOMIC_STORE && value_becomes_reference(atomic, atomic->instruction);
  for (LLVMUseRef use = LLVMGetFirstUse(atomic->instruction); use != NULL;
       use = LLVMGetNextUse(use))
    if (is_extraction(LLVMGetUser(use), 0) && value_becomes_reference(atomic, LLVMGetUser(use)))
      return true;
  return false;
}

static bool is_of_reference(const struct atomic *atomic) {
  bool found =
      storage_of(atomic, atomic->address) == STORAGE_REFERENCE || result_becomes_reference(atomic);
  for (unsigned i = 0; i < atomic->operand_count; i++)
    found = found || operand_is_reference(atomic, operand_of(atomic, i));
  return found;
}

static bool hides_references(const struct atomic *atomic, LLVMValueRef pointer) {
  struct place place = spgc_place_of(atomic->data, pointer);
  for (uint64_t offset = 0; offset < LLVMStoreSizeOfType(atomic->data, atomic->type);
       offset += WORD) {
    enum storage storage = spgc_storage_at(atomic->data, place, offset);
    if (storage == STORAGE_REFERENCE || storage == STORAGE_HIDDEN)
      return true;
  }
  return false;
}

static bool operands_hide_references(const struct atomic *atomic) {
  for (unsigned i = 0; i < atomic->operand_count; i++) {
    LLVMValueRef load = number_load(operand_of(atomic, i));
    if (load != NULL && hides_references(atomic, LLVMGetOperand(load, 0)))
      return true;
  }
  return false;
}

static const struct objection *check_atomic(const struct atomic *atomic) {
  if (LLVMGetIntTypeWidth(atomic->type) > WORD_BITS)
    return hides_references(atomic, atomic->address) || operands_hide_references(atomic)
               ? &several_words
               : NULL;
  return atomic->kind == ATOMIC_COMPUTATION && result_becomes_reference(atomic)
             ? &computed_reference
             : NULL;
}

static LLVMTypeRef reference_type(LLVMValueRef value) {
  return LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)),
                                  IR_REFERENCE_ADDRESS_SPACE);
}

static LLVMValueRef number_of(LLVMBuilderRef builder, LLVMValueRef reference) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
  return spgc_read_address(builder, module, reference);
}

static void copy_access(LLVMValueRef to, LLVMValueRef from) {
  LLVMSetAlignment(to, LLVMGetAlignment(from));
  LLVMSetVolatile(to, LLVMGetVolatile(from));
}

/* A number in a memory variable whose type does not show a reference is taken as a number, because
 * the program asked for one. */
static bool may_be_reference(const struct atomic *atomic, LLVMValueRef pointer) {
  enum storage storage = storage_of(atomic, pointer);
  return storage == STORAGE_REFERENCE || storage == STORAGE_UNKNOWN;
}

/* Turns an ordinary load of a number into a load of a reference; its other users get the number. */
static LLVMValueRef load_reference(LLVMValueRef load) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(load)));
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef reference =
      LLVMBuildLoad2(builder, reference_type(load), LLVMGetOperand(load, 0), "");
  copy_access(reference, load);
  LLVMUseRef use = LLVMGetFirstUse(load);
  if (LLVMGetNextUse(use) != NULL) /* the other user is the access itself */
    LLVMReplaceAllUsesWith(load, number_of(builder, reference));
  else
    LLVMReplaceAllUsesWith(load, LLVMGetUndef(LLVMTypeOf(load)));
  LLVMInstructionEraseFromParent(load);
  LLVMDisposeBuilder(builder);
  return reference;
}

static LLVMValueRef reference_operand(const struct atomic *atomic, LLVMBuilderRef builder,
                                      unsigned index) {
  LLVMValueRef value = operand_of(atomic, index), load = number_load(value);
  if (is_cast_of_object(value))
    return LLVMGetOperand(value, 0);
  if (load != NULL && may_be_reference(atomic, LLVMGetOperand(load, 0)))
    return load_reference(load);
  return LLVMBuildIntToPtr(builder, value, reference_type(value), "");
}

static void store_reference(LLVMValueRef store, LLVMValueRef reference) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(reference)));
  LLVMPositionBuilderBefore(builder, store);
  copy_access(LLVMBuildStore(builder, reference, LLVMGetOperand(store, 1)), store);
  LLVMInstructionEraseFromParent(store);
  LLVMDisposeBuilder(builder);
}

/* `builder` must be right after the access. */
static void replace_number(const struct atomic *atomic, LLVMBuilderRef builder, LLVMValueRef number,
                           LLVMValueRef reference) {
  struct values users = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(number); use != NULL; use = LLVMGetNextUse(use))
    if (!spgc_values_contain(&users, LLVMGetUser(use)))
      spgc_values_add(&users, LLVMGetUser(use));
  for (unsigned i = 0; i < users.count; i++) {
    LLVMValueRef user = users.at[i];
    if (is_cast_to_reference(user)) {
      LLVMReplaceAllUsesWith(user, reference);
      LLVMInstructionEraseFromParent(user);
    } else if (is_store_of(user, number) && may_be_reference(atomic, LLVMGetOperand(user, 1))) {
      store_reference(user, reference);
    }
  }
  spgc_values_free(&users);
  if (LLVMGetFirstUse(number) != NULL)
    LLVMReplaceAllUsesWith(number, number_of(builder, reference));
}

/* Replaces the result of a compare-exchange: the value found, and whether it was the expected
 * one. */
static void replace_pair(const struct atomic *atomic, LLVMBuilderRef builder, LLVMValueRef pair) {
  LLVMValueRef found = LLVMBuildExtractValue(builder, pair, 0, ""),
               same = LLVMBuildExtractValue(builder, pair, 1, "");
  for (LLVMUseRef use = LLVMGetFirstUse(atomic->instruction), next; use != NULL; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (!LLVMIsAExtractValueInst(user))
      continue;
    if (is_extraction(user, 0))
      replace_number(atomic, builder, user, found);
    else
      LLVMReplaceAllUsesWith(user, same);
    LLVMInstructionEraseFromParent(user);
  }
  if (LLVMGetFirstUse(atomic->instruction) == NULL)
    return;
  LLVMValueRef numbers = LLVMGetPoison(LLVMTypeOf(atomic->instruction));
  numbers = LLVMBuildInsertValue(builder, numbers, number_of(builder, found), 0, "");
  LLVMReplaceAllUsesWith(atomic->instruction, LLVMBuildInsertValue(builder, numbers, same, 1, ""));
}

static LLVMValueRef build(const struct atomic *atomic, LLVMBuilderRef builder,
                          LLVMValueRef *operands) {
  LLVMValueRef from = atomic->instruction, access;
  switch (atomic->kind) {
  case ATOMIC_LOAD:
    access = LLVMBuildLoad2(builder, reference_type(from), atomic->address, "");
    break;
  case ATOMIC_STORE: access = LLVMBuildStore(builder, operands[0], atomic->address); break;
  case ATOMIC_COMPARE_EXCHANGE:
    access = LLVMBuildAtomicCmpXchg(
        builder, atomic->address, operands[0], operands[1], LLVMGetCmpXchgSuccessOrdering(from),
        LLVMGetCmpXchgFailureOrdering(from), LLVMIsAtomicSingleThread(from));
    LLVMSetWeak(access, LLVMGetWeak(from));
    break;
  default:
    access = LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpXchg, atomic->address, operands[0],
                                LLVMGetOrdering(from), LLVMIsAtomicSingleThread(from));
  }
  copy_access(access, from);
  if (atomic->kind == ATOMIC_LOAD || atomic->kind == ATOMIC_STORE)
    LLVMSetOrdering(access, LLVMGetOrdering(from));
  return access;
}

static void rewrite(const struct atomic *atomic) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(atomic->type));
  LLVMPositionBuilderBefore(builder, atomic->instruction);
  LLVMValueRef operands[MOST_OPERANDS] = {0};
  for (unsigned i = 0; i < atomic->operand_count; i++)
    operands[i] = reference_operand(atomic, builder, i);
  LLVMValueRef access = build(atomic, builder, operands);
  if (atomic->kind == ATOMIC_COMPARE_EXCHANGE)
    replace_pair(atomic, builder, access);
  else if (atomic->kind != ATOMIC_STORE)
    replace_number(atomic, builder, atomic->instruction, access);
  LLVMInstructionEraseFromParent(atomic->instruction);
  LLVMDisposeBuilder(builder);
}

static enum spgc_result find_atomics(LLVMTargetDataRef data, LLVMValueRef function,
                                     struct values *found, struct spgc_error *error) {
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block) {
      struct atomic atomic;
      if (!describe(data, instruction, &atomic))
        continue;
      const struct objection *objection = check_atomic(&atomic);
      if (objection != NULL) {
        if (spgc_reject_instruction(instruction, objection, error) != SPGC_OK)
          return SPGC_ERROR_REJECTED;
        continue;
      }
      if (atomic.kind != ATOMIC_COMPUTATION && LLVMGetIntTypeWidth(atomic.type) == WORD_BITS &&
          is_of_reference(&atomic))
        spgc_values_add(found, instruction);
    }
  return SPGC_OK;
}

enum spgc_result spgc_type_atomics(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  struct values found = {0};
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
       function != NULL && result == SPGC_OK; function = LLVMGetNextFunction(function))
    if (spgc_ir_function_is_managed(function) || spgc_ir_function_uses_references(function))
      result = find_atomics(data, function, &found, error);
  for (unsigned i = 0; i < found.count && result == SPGC_OK; i++) {
    struct atomic atomic;
    if (describe(data, found.at[i],
                 &atomic)) /* again: the access before may have replaced operands */
      rewrite(&atomic);
  }
  spgc_values_free(&found);
  return result;
}
