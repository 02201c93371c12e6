/* Splits copies to and from local variables that hold references into words, because promotion
 * takes a variable apart only if each access has the type of the words it reads or writes. */
#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"
#include "codegen/lower/phases.h"

enum { DESTINATION, SOURCE, LENGTH, IS_VOLATILE };
/* The last word may be taken in pieces of 4, 2 and 1 bytes. */
enum { WORD = sizeof(uint64_t), MOST_WORDS = 32, MOST_PARTS = MOST_WORDS + 2 };

struct copy {
  LLVMBuilderRef builder;
  LLVMTargetDataRef data;
  LLVMValueRef to, from;
  struct place place; /* of the variable */
};

/* A part of the copy that is moved as one value. */
struct part {
  uint64_t offset;
  enum storage storage;
  LLVMTypeRef type;
  LLVMValueRef value;
};

static void align(const struct part *part, LLVMValueRef access) {
  LLVMSetAlignment(access, part->storage == STORAGE_REFERENCE ? WORD : 1);
}

static struct part read_part(const struct copy *copy, uint64_t offset, uint64_t size) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(copy->to));
  struct part part = {.offset = offset, .storage = STORAGE_UNKNOWN};
  if (size == WORD)
    part.storage = spgc_storage_at(copy->data, copy->place, offset);
  part.type = part.storage == STORAGE_REFERENCE
                  ? LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE)
                  : LLVMIntTypeInContext(context, (unsigned)size * 8);
  part.value = LLVMBuildLoad2(copy->builder, part.type,
                              spgc_ir_build_offset(copy->builder, copy->from, offset), "");
  align(&part, part.value);
  return part;
}

static void write_part(const struct copy *copy, const struct part *part) {
  LLVMValueRef address = spgc_ir_build_offset(copy->builder, copy->to, part->offset);
  align(part, LLVMBuildStore(copy->builder, part->value, address));
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

/* The operands may overlap, so all parts are read before the first is written. */
static void copy_words(struct copy *copy, LLVMValueRef transfer) {
  uint64_t length = LLVMConstIntGetZExtValue(LLVMGetOperand(transfer, LENGTH));
  copy->builder = spgc_ir_builder_before(transfer);
  struct part parts[MOST_PARTS];
  unsigned count = 0;
  for (uint64_t offset = 0; offset < length; offset += next_part(length - offset))
    parts[count++] = read_part(copy, offset, next_part(length - offset));
  for (unsigned i = 0; i < count; i++)
    write_part(copy, &parts[i]);
  LLVMInstructionEraseFromParent(transfer);
  LLVMDisposeBuilder(copy->builder);
}

enum spgc_result spgc_copy_by_words(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_INSTRUCTION_OF (instruction, function) {
        struct copy copy;
        if (spgc_ir_is_memory_transfer(instruction) && describe(data, instruction, &copy))
          copy_words(&copy, instruction);
      }
  return SPGC_OK;
}
