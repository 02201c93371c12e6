#include "codegen/ir/values.h"

#include <stdint.h>
#include <stdlib.h>

#include "support/fatal.h"
#include "support/hash_index.h"

enum { LEAST_CAPACITY = 16, SLOTS_FOR_EACH = 4 };

void *spgc_zeroed(size_t count, size_t size) {
  void *memory = calloc(count + 1, size);
  spgc_require(memory != NULL, "out of memory");
  return memory;
}

static unsigned first_slot(const struct values *values, LLVMValueRef value) {
  return spgc_hash_word((uintptr_t)value) & (values->slot_count - 1);
}

static unsigned next_slot(const struct values *values, unsigned slot) {
  return (slot + 1) & (values->slot_count - 1);
}

static void enter(struct values *values, unsigned place) {
  unsigned slot = first_slot(values, values->at[place]);
  while (values->slots[slot] != 0)
    slot = next_slot(values, slot);
  values->slots[slot] = place + 1;
  values->used_slots++;
}

static void make_index(struct values *values) {
  free(values->slots);
  values->slot_count = SLOTS_FOR_EACH * values->capacity;
  values->slots = spgc_zeroed(values->slot_count, sizeof *values->slots);
  values->used_slots = 0;
  for (unsigned i = 0; i < values->count; i++)
    enter(values, i);
}

static void grow(struct values *values) {
  unsigned capacity = values->capacity == 0 ? LEAST_CAPACITY : 2 * values->capacity;
  LLVMValueRef *grown = spgc_zeroed(capacity, sizeof(LLVMValueRef));
  for (unsigned i = 0; i < values->count; i++)
    grown[i] = values->at[i];
  free((void *)values->at);
  values->at = grown;
  values->capacity = capacity;
  if (capacity > LEAST_CAPACITY)
    make_index(values);
}

void spgc_values_add(struct values *values, LLVMValueRef value) {
  if (values->count == values->capacity)
    grow(values);
  values->at[values->count++] = value;
  if (values->slots == NULL)
    return;
  if (values->used_slots < values->slot_count / 2)
    enter(values, values->count - 1);
  else
    make_index(values);
}

void spgc_values_add_new(struct values *values, LLVMValueRef value) {
  if (!spgc_values_contain(values, value))
    spgc_values_add(values, value);
}

unsigned spgc_values_find(const struct values *values, LLVMValueRef value) {
  if (values->slots == NULL) {
    for (unsigned i = 0; i < values->count; i++)
      if (values->at[i] == value)
        return i;
    return VALUES_MISSING;
  }
  for (unsigned slot = first_slot(values, value); values->slots[slot] != 0;
       slot = next_slot(values, slot)) {
    unsigned place = values->slots[slot] - 1;
    if (place < values->count && values->at[place] == value)
      return place;
  }
  return VALUES_MISSING;
}

bool spgc_values_contain(const struct values *values, LLVMValueRef value) {
  return spgc_values_find(values, value) != VALUES_MISSING;
}

bool spgc_values_add_choices(struct values *values, LLVMValueRef choice) {
  bool is_phi = LLVMIsAPHINode(choice) != NULL, is_select = LLVMIsASelectInst(choice) != NULL;
  for (unsigned i = 0; is_phi && i < LLVMCountIncoming(choice); i++)
    spgc_values_add_new(values, LLVMGetIncomingValue(choice, i));
  for (unsigned i = 1; is_select && i <= 2; i++)
    spgc_values_add_new(values, LLVMGetOperand(choice, i));
  return is_phi || is_select;
}

LLVMValueRef spgc_values_search(LLVMValueRef start,
                                bool (*is_found)(struct values *others, LLVMValueRef value)) {
  struct values others = {0};
  LLVMValueRef found = is_found(&others, start) ? start : NULL;
  for (unsigned i = 0; i < others.count && found == NULL; i++)
    if (is_found(&others, others.at[i]))
      found = others.at[i];
  spgc_values_free(&others);
  return found;
}

void spgc_values_free(struct values *values) {
  free((void *)values->at);
  free(values->slots);
  *values = (struct values){0};
}
