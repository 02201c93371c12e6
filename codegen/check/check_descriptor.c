/* Only descriptors that the frontend itself passes to a call are checked, because inlining makes
 * calls that are never reached. */
#include <stddef.h>
#include <stdio.h>

#include "codegen/check/check.h"
#include "codegen/ir/constant_bytes.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/storage.h"
#include "spgc/type.h"

enum { LONGEST_PROBLEM = 256 };

struct descriptor {
  struct constant_bytes bytes;
  char name[61];
  bool makes_array;
  int64_t size, element_size, flags, field_names, reference_count, element_reference_count;
};

static bool has_flag(const struct descriptor *descriptor, enum spgc_type_flags flag) {
  return (descriptor->flags & flag) != 0;
}

static const char unreadable[] = "its descriptor's offsets are not readable";

/* Multiples of a word, ascending from `least`, below `size`. */
static const char *wrong_with_offsets(const struct descriptor *descriptor, int64_t count,
                                      size_t offsets_at, int64_t least, int64_t size) {
  LLVMValueRef pointer = spgc_constant_pointer(&descriptor->bytes, offsets_at);
  struct constant_bytes offsets;
  if (count > size / IR_WORD)
    return "its descriptor lists more references than the object has words";
  if (count != 0 && pointer != NULL && LLVMIsNull(pointer))
    return unreadable;
  if (pointer == NULL || !spgc_constant_bytes_at(descriptor->bytes.data, pointer, &offsets))
    return NULL;
  for (int64_t i = 0; i < count; i++) {
    uint64_t at = (uint64_t)i * sizeof(uint32_t);
    if (spgc_constant_bytes_end(&offsets, at))
      return unreadable;
    int64_t offset = spgc_constant_number(&offsets, at);
    if (offset == CONSTANT_UNKNOWN)
      continue;
    if (offset % IR_WORD != 0 || offset < least || offset > size - IR_WORD)
      return "its descriptor lists an offset that is unaligned, out of order or out of range";
    least = offset + IR_WORD;
  }
  return NULL;
}

static const char *wrong_with_tail(const struct descriptor *descriptor) {
  bool has_references =
      has_flag(descriptor, SPGC_TYPE_TAIL_VALUES) || descriptor->element_reference_count != 0;
  if (descriptor->size < INT64_C(2) * IR_WORD)
    return "its descriptor's size leaves no room for the length";
  if (has_references && (descriptor->element_size == 0 || descriptor->element_size % IR_WORD != 0))
    return "its descriptor has elements with references whose size is not a multiple of 8";
  if (has_flag(descriptor, SPGC_TYPE_TAIL_WEAK) &&
      (!has_references || descriptor->reference_count != 0 ||
       has_flag(descriptor, SPGC_TYPE_VALUES)))
    return "its descriptor has weak elements without references, or beside strong references";
  return wrong_with_offsets(descriptor, descriptor->element_reference_count,
                            offsetof(struct spgc_type, element_reference_offsets), 0,
                            descriptor->element_size);
}

static const char *wrong_with(const struct descriptor *descriptor) {
  enum { KNOWN = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES | SPGC_TYPE_TAIL_WEAK };
  int64_t names = descriptor->field_names;
  bool has_tail = has_flag(descriptor, SPGC_TYPE_TAIL);
  if (descriptor->size < IR_WORD || descriptor->size % IR_WORD != 0)
    return "its size is 0 or is not a multiple of 8";
  if (names != 0 && (names < (int64_t)sizeof(struct spgc_type) || names % IR_WORD != 0))
    return "its descriptor's field_names is not the offset of a member after it";
  if ((descriptor->flags & ~KNOWN) != 0)
    return "it has flags that do not exist";
  if ((descriptor->flags & (SPGC_TYPE_TAIL_VALUES | SPGC_TYPE_TAIL_WEAK)) != 0 && !has_tail)
    return "its descriptor describes a tail without the flag SPGC_TYPE_TAIL";
  if (descriptor->makes_array && !has_tail)
    return "an array is allocated with it, but it has no tail";
  const char *wrong = has_tail ? wrong_with_tail(descriptor) : NULL;
  return wrong != NULL ? wrong
                       : wrong_with_offsets(descriptor, descriptor->reference_count,
                                            offsetof(struct spgc_type, reference_offsets),
                                            has_tail ? 2 * IR_WORD : IR_WORD, descriptor->size);
}

/* The descriptor that a call passes to an allocation, or NULL if it does not allocate. */
static LLVMValueRef descriptor_of(LLVMValueRef call, bool *makes_array) {
  LLVMValueRef callee = spgc_ir_is_call(call) ? spgc_ir_callee(call) : NULL;
  if (callee == NULL)
    return NULL;
  *makes_array = spgc_ir_name_is(callee, "spgc_allocate_array");
  return *makes_array || spgc_ir_name_is(callee, "spgc_allocate") ? LLVMGetArgOperand(call, 0)
                                                                  : NULL;
}

static bool read_descriptor(LLVMValueRef call, struct descriptor *descriptor) {
  LLVMValueRef pointer = descriptor_of(call, &descriptor->makes_array);
  if (pointer == NULL)
    return false;
  struct constant_bytes *bytes = &descriptor->bytes;
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(spgc_ir_module_of(call));
  if (!spgc_constant_bytes_at(data, pointer, bytes))
    return false;
  snprintf(descriptor->name, sizeof descriptor->name, "%s", LLVMGetValueName(bytes->global));
  const struct {
    size_t offset;
    int64_t *number;
  } fields[] = {
      {offsetof(struct spgc_type, size), &descriptor->size},
      {offsetof(struct spgc_type, element_size), &descriptor->element_size},
      {offsetof(struct spgc_type, flags), &descriptor->flags},
      {offsetof(struct spgc_type, field_names), &descriptor->field_names},
      {offsetof(struct spgc_type, reference_count), &descriptor->reference_count},
      {offsetof(struct spgc_type, element_reference_count), &descriptor->element_reference_count},
  };
  bool is_shown = true;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    *fields[i].number = spgc_constant_number(bytes, fields[i].offset);
    is_shown = is_shown && *fields[i].number != CONSTANT_UNKNOWN;
  }
  return is_shown;
}

/* The thread's last problem, with its numbers. */
static _Thread_local char problem[LONGEST_PROBLEM];
static _Thread_local struct objection objection;

const struct objection *spgc_check_descriptor(LLVMValueRef call) {
  static const struct objection is_none = {46, "the type descriptor is null or undefined",
                                           "pass the address of a struct spgc_type"};
  struct descriptor descriptor;
  LLVMValueRef pointer = descriptor_of(call, &descriptor.makes_array);
  if (pointer != NULL && (LLVMIsNull(pointer) || LLVMIsUndef(pointer)))
    return &is_none;
  const char *wrong = read_descriptor(call, &descriptor) ? wrong_with(&descriptor) : NULL;
  if (wrong == NULL)
    return NULL;
  snprintf(problem, sizeof problem, "the type descriptor '%s' cannot be used: %s", descriptor.name,
           wrong);
  objection = (struct objection){46, problem, "describe the object as spgc/type.h says"};
  return &objection;
}

/* The field is at a constant distance from an object that this function allocated. */
struct field_store {
  struct descriptor descriptor;
  LLVMTypeRef type;
  int64_t offset;
};

static bool find_field_store(LLVMValueRef instruction, struct field_store *store) {
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || !spgc_ir_is_reference(write.address))
    return false;
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(spgc_ir_module_of(instruction));
  LLVMValueRef address = write.address;
  store->type = LLVMTypeOf(write.value);
  store->offset = 0;
  for (int64_t distance; LLVMIsAGetElementPtrInst(address) != NULL;
       address = LLVMGetOperand(address, 0)) {
    if (!spgc_constant_distance(data, address, &distance))
      return false;
    store->offset += distance;
  }
  return LLVMIsAInstruction(address) != NULL && read_descriptor(address, &store->descriptor);
}

/* Also true if the list is unknown. */
static bool may_list(const struct descriptor *descriptor, int64_t count, size_t offsets_at,
                     int64_t offset) {
  LLVMValueRef pointer = spgc_constant_pointer(&descriptor->bytes, offsets_at);
  struct constant_bytes offsets;
  if (count != 0 &&
      (pointer == NULL || !spgc_constant_bytes_at(descriptor->bytes.data, pointer, &offsets)))
    return true;
  for (int64_t i = 0; i < count; i++) {
    int64_t listed = spgc_constant_number(&offsets, (uint64_t)i * sizeof(uint32_t));
    if (listed == CONSTANT_UNKNOWN || listed == offset)
      return true;
  }
  return false;
}

static bool may_be_reference_at(const struct descriptor *descriptor, int64_t offset) {
  if (offset < descriptor->size)
    return has_flag(descriptor, SPGC_TYPE_VALUES) ||
           may_list(descriptor, descriptor->reference_count,
                    offsetof(struct spgc_type, reference_offsets), offset);
  return has_flag(descriptor, SPGC_TYPE_TAIL_VALUES) || descriptor->element_size == 0 ||
         may_list(descriptor, descriptor->element_reference_count,
                  offsetof(struct spgc_type, element_reference_offsets),
                  (offset - descriptor->size) % descriptor->element_size);
}

const struct objection *spgc_check_field_store(LLVMValueRef instruction) {
  struct field_store store;
  if (!find_field_store(instruction, &store))
    return NULL;
  const struct descriptor *descriptor = &store.descriptor;
  LLVMTargetDataRef data = descriptor->bytes.data;
  long long size = descriptor->size,
            end = store.offset + (int64_t)LLVMStoreSizeOfType(data, store.type);
  const char *remedy = NULL;
  if (!has_flag(descriptor, SPGC_TYPE_TAIL) && end > size) {
    snprintf(problem, sizeof problem,
             "the store ends at byte %lld of an object whose descriptor '%s' gives it %lld bytes",
             end, descriptor->name, size);
    remedy = "give the descriptor the size of the whole object";
  }
  struct place type = {store.type, 0};
  for (int64_t at = 0; at < end - store.offset && remedy == NULL; at += IR_WORD)
    if (spgc_storage_at(data, type, (uint64_t)at) == STORAGE_REFERENCE &&
        !may_be_reference_at(descriptor, store.offset + at)) {
      snprintf(problem, sizeof problem,
               "a reference is stored at offset %lld of an object whose descriptor '%s' lists none "
               "there, so that the collector would not see it (size %lld)",
               (long long)store.offset + at, descriptor->name, size);
      remedy = "list the offset among the references (in C, by SPGC_OFFSET)";
    }
  objection = (struct objection){46, problem, remedy};
  return remedy != NULL ? &objection : NULL;
}
