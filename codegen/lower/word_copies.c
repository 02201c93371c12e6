/* Splits copies to and from local variables that hold references into words, because promotion
 * takes a variable apart only if each access has the type of the words it reads or writes. */
#include "codegen/ir/access_type.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"

enum { DESTINATION, SOURCE, LENGTH, IS_VOLATILE };
enum { WORD = sizeof(uint64_t), MOST_WORDS = 32 };

struct copy {
  LLVMBuilderRef builder;
  LLVMTargetDataRef data;
  LLVMValueRef to, from;
  struct place place; /* of the variable */
};

static LLVMValueRef address_at(const struct copy *copy, LLVMValueRef pointer, uint64_t offset) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, false);
  return LLVMBuildInBoundsGEP2(copy->builder, LLVMInt8TypeInContext(context), pointer, &index, 1,
                               "");
}

static void copy_part(const struct copy *copy, uint64_t offset, uint64_t size) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(copy->to));
  enum storage storage =
      size == WORD ? spgc_storage_at(copy->data, copy->place, offset) : STORAGE_UNKNOWN;
  bool reference = storage == STORAGE_REFERENCE;
  LLVMTypeRef type = reference ? LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE)
                               : LLVMIntTypeInContext(context, (unsigned)size * 8);
  LLVMValueRef value =
      LLVMBuildLoad2(copy->builder, type, address_at(copy, copy->from, offset), "");
  LLVMValueRef store = LLVMBuildStore(copy->builder, value, address_at(copy, copy->to, offset));
  LLVMSetAlignment(value, reference ? WORD : 1);
  if (storage == STORAGE_PLAIN) {
    spgc_access_declare_number(value);
    spgc_access_declare_number(store);
  }
  LLVMSetAlignment(store, reference ? WORD : 1);
}

/* The largest power of two that fits into the rest. */
static uint64_t next_part(uint64_t left) {
  uint64_t size = WORD;
  while (size > left)
    size /= 2;
  return size;
}

static bool is_variable(LLVMValueRef pointer) {
  LLVMValueRef object = spgc_ir_underlying_object(pointer);
  return LLVMIsAAllocaInst(object) != NULL &&
         spgc_ir_type_contains_reference(LLVMGetAllocatedType(object));
}

static bool describe(LLVMTargetDataRef data, LLVMValueRef transfer, struct copy *copy) {
  LLVMValueRef length = LLVMGetOperand(transfer, LENGTH);
  *copy = (struct copy){.data = data,
                        .to = LLVMGetOperand(transfer, DESTINATION),
                        .from = LLVMGetOperand(transfer, SOURCE)};
  if (spgc_ir_is_element_copy(transfer) || LLVMIsAConstantInt(length) == NULL ||
      LLVMConstIntGetZExtValue(length) > UINT64_C(1) * MOST_WORDS * WORD ||
      LLVMConstIntGetZExtValue(LLVMGetOperand(transfer, IS_VOLATILE)) != 0)
    return false;
  if (!is_variable(copy->to) && !is_variable(copy->from))
    return false;
  copy->place = spgc_place_of(data, is_variable(copy->to) ? copy->to : copy->from);
  return copy->place.type != NULL && copy->place.offset % WORD == 0;
}

/* The operands of memmove may overlap only within one variable. */
static bool may_overlap(LLVMValueRef transfer) {
  return spgc_ir_is_intrinsic(transfer, "llvm.memmove.") &&
         spgc_ir_underlying_object(LLVMGetOperand(transfer, DESTINATION)) ==
             spgc_ir_underlying_object(LLVMGetOperand(transfer, SOURCE));
}

static void copy_words(struct copy *copy, LLVMValueRef transfer) {
  uint64_t length = LLVMConstIntGetZExtValue(LLVMGetOperand(transfer, LENGTH));
  copy->builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(transfer)));
  LLVMPositionBuilderBefore(copy->builder, transfer);
  for (uint64_t offset = 0; offset < length; offset += next_part(length - offset))
    copy_part(copy, offset, next_part(length - offset));
  LLVMInstructionEraseFromParent(transfer);
  LLVMDisposeBuilder(copy->builder);
}

enum spgc_result spgc_copy_by_words(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module) {
    if (!spgc_ir_function_is_managed(function))
      continue;
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        struct copy copy;
        next = LLVMGetNextInstruction(instruction);
        if (spgc_ir_is_memory_transfer(instruction) && !may_overlap(instruction) &&
            describe(data, instruction, &copy))
          copy_words(&copy, instruction);
      }
  }
  return SPGC_OK;
}
