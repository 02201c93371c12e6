/* Rules for type descriptors that are constants, and for stores into objects that are made with
 * them. Descriptors for which the runtime would end the
 * process (gc/mutator/misuse.c, heap/check_type.c) are refused here in the same words. The runtime
 * still checks descriptors that the module does not show.
 *
 * Only descriptors that the frontend itself passes to a call are checked, because inlining makes
 * calls that are never reached, such as the other branch of a function that allocates objects and
 * arrays.
 */
#include <stddef.h>
#include <stdio.h>

#include "codegen/check/check.h"
#include "codegen/ir/constant_bytes.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/write.h"
#include "spgc/type.h"

enum { WORD = 8, LONGEST_PROBLEM = 256 };

struct descriptor {
  struct constant_bytes bytes;
  char name[61]; /* its beginning */
  bool makes_array;
  int64_t size, element_size, flags, field_names; /* or CONSTANT_UNKNOWN */
};

static bool has_flag(const struct descriptor *descriptor, enum spgc_type_flags flag) {
  return descriptor->flags != CONSTANT_UNKNOWN && (descriptor->flags & flag) != 0;
}

static bool size_is_words(const struct descriptor *descriptor) {
  int64_t size = descriptor->size;
  return size == CONSTANT_UNKNOWN || (size >= WORD && size % WORD == 0);
}

static bool names_lie_behind(const struct descriptor *descriptor) {
  int64_t offset = descriptor->field_names;
  return offset == CONSTANT_UNKNOWN || offset == 0 ||
         (offset >= (int64_t)sizeof(struct spgc_type) && offset % WORD == 0);
}

static bool flags_are_known(const struct descriptor *descriptor) {
  enum { KNOWN = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES };
  return descriptor->flags <= 0 || (descriptor->flags & ~KNOWN) == 0;
}

static bool described_tail_is_there(const struct descriptor *descriptor) {
  return !has_flag(descriptor, SPGC_TYPE_TAIL_VALUES) || has_flag(descriptor, SPGC_TYPE_TAIL);
}

static bool arrays_have_tails(const struct descriptor *descriptor) {
  return !descriptor->makes_array || descriptor->flags == CONSTANT_UNKNOWN ||
         has_flag(descriptor, SPGC_TYPE_TAIL);
}

static bool length_has_room(const struct descriptor *descriptor) {
  return !has_flag(descriptor, SPGC_TYPE_TAIL) || descriptor->size == CONSTANT_UNKNOWN ||
         descriptor->size >= INT64_C(2) * WORD;
}

static bool elements_are_words(const struct descriptor *descriptor) {
  int64_t size = descriptor->element_size;
  int64_t count =
      spgc_constant_number(&descriptor->bytes, offsetof(struct spgc_type, element_reference_count));
  bool has_references = has_flag(descriptor, SPGC_TYPE_TAIL_VALUES) || count > 0;
  return !has_flag(descriptor, SPGC_TYPE_TAIL) || size == CONSTANT_UNKNOWN || !has_references ||
         (size != 0 && size % WORD == 0);
}

static const struct {
  bool (*holds)(const struct descriptor *descriptor);
  struct objection objection;
} rules[] = {
    RULE(size_is_words, 46, "its size is no multiple of 8, or 0",
         "give the bytes of the fixed part, header included, rounded up to 8"),
    RULE(names_lie_behind, 46, "its descriptor's field_names is no offset of a member behind it",
         "set it to 0, or to the offset of a pointer to the names (spgc/type.h)"),
    RULE(flags_are_known, 46, "it has flags that do not exist",
         "use those of enum spgc_type_flags"),
    RULE(described_tail_is_there, 46, "its descriptor describes a tail it does not have",
         "add SPGC_TYPE_TAIL to its flags"),
    RULE(arrays_have_tails, 46, "an array is made with it, and it has no tail",
         "add SPGC_TYPE_TAIL to its flags, and an element_size, or call spgc_allocate"),
    RULE(length_has_room, 46, "its descriptor leaves no room for the length",
         "make its size 16 at least"),
    RULE(elements_are_words, 46,
         "its descriptor has elements with references but not a multiple of 8 bytes long",
         "pad the elements"),
};

static const struct objection unreadable = {46, "its descriptor's offsets are not readable",
                                            "point to as many offsets as it counts"};

/* Offsets must be multiples of a word, ascend from `least`, and end below `size`. */
static const struct objection *check_each_offset(const struct constant_bytes *offsets,
                                                 int64_t count, int64_t least, int64_t size) {
  static const struct objection objection = {
      46, "its descriptor lists an offset that is unaligned, out of order or out of range",
      "list the bytes from the start to words inside, ascending, behind header and length"};
  for (int64_t i = 0; i < count; i++) {
    uint64_t at = (uint64_t)i * sizeof(uint32_t);
    if (spgc_constant_bytes_end(offsets, at))
      return &unreadable;
    int64_t offset = spgc_constant_number(offsets, at);
    if (offset == CONSTANT_UNKNOWN)
      continue;
    if (offset % WORD != 0 || offset < least || (size != CONSTANT_UNKNOWN && offset > size - WORD))
      return &objection;
    least = offset + WORD;
  }
  return NULL;
}

/* `count_at` and `offsets_at` are offsets of fields in struct spgc_type. */
static const struct objection *check_offsets(const struct descriptor *descriptor, size_t count_at,
                                             size_t offsets_at, int64_t least, int64_t size) {
  static const struct objection too_many = {
      46, "its descriptor lists more references than it has words", "count the references only"};
  int64_t count = spgc_constant_number(&descriptor->bytes, count_at);
  LLVMValueRef pointer = spgc_constant_pointer(&descriptor->bytes, offsets_at);
  if (count == CONSTANT_UNKNOWN || count == 0)
    return NULL;
  if (size != CONSTANT_UNKNOWN && count > size / WORD)
    return &too_many;
  if (pointer != NULL && LLVMIsNull(pointer))
    return &unreadable;
  struct constant_bytes offsets;
  if (pointer == NULL || !spgc_constant_bytes_at(descriptor->bytes.data, pointer, &offsets))
    return NULL;
  return check_each_offset(&offsets, count, least, size);
}

static const struct objection *offsets_are_inside(const struct descriptor *descriptor) {
  int64_t least = has_flag(descriptor, SPGC_TYPE_TAIL) ? 2 * WORD : WORD;
  return check_offsets(descriptor, offsetof(struct spgc_type, reference_count),
                       offsetof(struct spgc_type, reference_offsets), least, descriptor->size);
}

static const struct objection *element_offsets_are_inside(const struct descriptor *descriptor) {
  if (!has_flag(descriptor, SPGC_TYPE_TAIL))
    return NULL;
  return check_offsets(descriptor, offsetof(struct spgc_type, element_reference_count),
                       offsetof(struct spgc_type, element_reference_offsets), 0,
                       descriptor->element_size);
}

static const struct objection *check_fields(const struct descriptor *descriptor) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (!rules[i].holds(descriptor))
      return &rules[i].objection;
  const struct objection *objection = offsets_are_inside(descriptor);
  return objection != NULL ? objection : element_offsets_are_inside(descriptor);
}

static bool read_descriptor(LLVMTargetDataRef data, LLVMValueRef call,
                            struct descriptor *descriptor) {
  LLVMValueRef callee = spgc_ir_is_call(call) ? spgc_ir_callee(call) : NULL;
  if (callee == NULL)
    return false;
  descriptor->makes_array = spgc_ir_name_is(callee, "spgc_allocate_array");
  if (!descriptor->makes_array && !spgc_ir_name_is(callee, "spgc_allocate"))
    return false;
  struct constant_bytes *bytes = &descriptor->bytes;
  if (!spgc_constant_bytes_at(data, LLVMGetArgOperand(call, 0), bytes))
    return false;
  descriptor->size = spgc_constant_number(bytes, offsetof(struct spgc_type, size));
  descriptor->element_size = spgc_constant_number(bytes, offsetof(struct spgc_type, element_size));
  descriptor->flags = spgc_constant_number(bytes, offsetof(struct spgc_type, flags));
  descriptor->field_names = spgc_constant_number(bytes, offsetof(struct spgc_type, field_names));
  snprintf(descriptor->name, sizeof descriptor->name, "%s", LLVMGetValueName(bytes->global));
  return true;
}

static enum spgc_result check_call(LLVMTargetDataRef data, LLVMValueRef call,
                                   struct spgc_error *error) {
  struct descriptor descriptor;
  const struct objection *objection =
      read_descriptor(data, call, &descriptor) ? check_fields(&descriptor) : NULL;
  if (objection == NULL)
    return SPGC_OK;
  char problem[LONGEST_PROBLEM];
  snprintf(problem, sizeof problem, "the type descriptor '%s' cannot be used: %s", descriptor.name,
           objection->problem);
  return spgc_reject(call, NULL, &(struct objection){46, problem, objection->remedy}, error);
}

/* ---- Stores into new objects ---- */

/* A store at a constant distance from what an allocation of this function gave. */
struct field_store {
  struct descriptor descriptor;
  LLVMTypeRef type;
  int64_t offset;
};

static bool find_field_store(LLVMTargetDataRef data, LLVMValueRef instruction,
                             struct field_store *store) {
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || !spgc_ir_is_reference(write.address))
    return false;
  LLVMValueRef address = write.address;
  store->type = LLVMTypeOf(write.value);
  store->offset = 0;
  for (int64_t distance; LLVMIsAGetElementPtrInst(address) != NULL;
       address = LLVMGetOperand(address, 0)) {
    if (!spgc_constant_distance(data, address, &distance))
      return false;
    store->offset += distance;
  }
  return LLVMIsAInstruction(address) != NULL && read_descriptor(data, address, &store->descriptor);
}

/* True if a list of offsets has this one, or does not show. */
static bool may_list(const struct descriptor *descriptor, size_t count_at, size_t offsets_at,
                     int64_t offset) {
  int64_t count = spgc_constant_number(&descriptor->bytes, count_at);
  LLVMValueRef pointer = spgc_constant_pointer(&descriptor->bytes, offsets_at);
  struct constant_bytes offsets;
  if (count == 0)
    return false;
  if (count == CONSTANT_UNKNOWN || pointer == NULL ||
      !spgc_constant_bytes_at(descriptor->bytes.data, pointer, &offsets))
    return true;
  for (int64_t i = 0; i < count; i++) {
    int64_t listed = spgc_constant_number(&offsets, (uint64_t)i * sizeof(uint32_t));
    if (listed == CONSTANT_UNKNOWN || listed == offset)
      return true;
  }
  return false;
}

static bool may_be_reference_at(const struct descriptor *descriptor, int64_t offset) {
  if (descriptor->size == CONSTANT_UNKNOWN || descriptor->flags == CONSTANT_UNKNOWN)
    return true;
  if (offset < descriptor->size)
    return has_flag(descriptor, SPGC_TYPE_VALUES) ||
           may_list(descriptor, offsetof(struct spgc_type, reference_count),
                    offsetof(struct spgc_type, reference_offsets), offset);
  return has_flag(descriptor, SPGC_TYPE_TAIL_VALUES) || descriptor->element_size <= 0 ||
         may_list(descriptor, offsetof(struct spgc_type, element_reference_count),
                  offsetof(struct spgc_type, element_reference_offsets),
                  (offset - descriptor->size) % descriptor->element_size);
}

static enum spgc_result check_store(LLVMTargetDataRef data, LLVMValueRef instruction,
                                    struct spgc_error *error) {
  struct field_store store;
  if (!find_field_store(data, instruction, &store))
    return SPGC_OK;
  const struct descriptor *descriptor = &store.descriptor;
  long long size = descriptor->size,
            end = store.offset + (int64_t)LLVMStoreSizeOfType(data, store.type);
  struct objection objection = {46, NULL, NULL};
  char problem[LONGEST_PROBLEM];
  if (size != CONSTANT_UNKNOWN && descriptor->flags != CONSTANT_UNKNOWN &&
      !has_flag(descriptor, SPGC_TYPE_TAIL) && end > size) {
    snprintf(problem, sizeof problem,
             "the store ends at byte %lld of an object whose descriptor '%s' gives it %lld bytes",
             end, descriptor->name, size);
    objection.remedy = "give the descriptor the size of the whole object";
  }
  struct place type = {store.type, 0};
  for (int64_t at = 0; at < end - store.offset && objection.remedy == NULL; at += WORD)
    if (spgc_storage_at(data, type, (uint64_t)at) == STORAGE_REFERENCE &&
        !may_be_reference_at(descriptor, store.offset + at)) {
      snprintf(problem, sizeof problem,
               "a reference is stored at offset %lld of an object whose descriptor '%s' lists none "
               "there, so that the collector would not see it (size %lld)",
               (long long)(store.offset + at), descriptor->name, size);
      objection.remedy = "list the offset among the references (in C, by SPGC_OFFSET)";
    }
  objection.problem = problem;
  return objection.remedy == NULL ? SPGC_OK : spgc_reject(instruction, NULL, &objection, error);
}

static enum spgc_result check_each(struct lowering *lowering,
                                   enum spgc_result (*check)(LLVMTargetDataRef data,
                                                             LLVMValueRef instruction,
                                                             struct spgc_error *error),
                                   struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (check(data, instruction, error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
  return SPGC_OK;
}

enum spgc_result spgc_check_descriptors(struct lowering *lowering, struct spgc_error *error) {
  return check_each(lowering, check_call, error);
}

enum spgc_result spgc_check_field_stores(struct lowering *lowering, struct spgc_error *error) {
  return check_each(lowering, check_store, error);
}
