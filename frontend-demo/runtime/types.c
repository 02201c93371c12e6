#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/string.h"

#include <stdlib.h>

#include "spgc/allocate.h"
#include "support/fatal.h"

static const uint32_t list_references[] = {LOX_LIST_STORE_FIELD};
static const uint32_t slice_references[] = {offsetof(struct lox_slice, buffer)};

static const char *const list_names[] = {"store"};
static const char *const slice_names[] = {"buffer"};
static const char *const cell_names[] = {"value"};

struct lox_type lox_string_type =
    LOX_TYPE(LOX_OBJECT_STRING, NULL, .size = sizeof(struct lox_flat_string), .element_size = 1,
             .flags = SPGC_TYPE_TAIL, .name = "string");

struct lox_type lox_slice_type =
    LOX_TYPE(LOX_OBJECT_STRING, slice_names, .size = sizeof(struct lox_slice), .reference_count = 1,
             .reference_offsets = slice_references, .name = "string slice");

struct lox_type lox_string_buffer_type =
    LOX_TYPE(LOX_OBJECT_STRING_BUFFER, NULL, .size = sizeof(struct lox_string_buffer),
             .element_size = 1, .flags = SPGC_TYPE_TAIL, .name = "buffer");

struct lox_type lox_cell_type =
    LOX_TYPE(LOX_OBJECT_CELL, cell_names, .size = LOX_CELL_VALUE + sizeof(struct spgc_ref),
             .flags = SPGC_TYPE_VALUES, .name = "cell");

struct lox_type lox_list_type =
    LOX_TYPE(LOX_OBJECT_LIST, list_names, .size = sizeof(struct lox_list), .reference_count = 1,
             .reference_offsets = list_references, .name = "list");

struct lox_type lox_list_store_type =
    LOX_TYPE(LOX_OBJECT_LIST_STORE, NULL, .size = sizeof(struct lox_list_store),
             .element_size = sizeof(struct spgc_ref),
             .flags = SPGC_TYPE_TAIL | SPGC_TYPE_TAIL_VALUES, .name = "list store");

/* Written when the runtime starts. */
static void (*raise_out_of_memory)(void);

void lox_set_out_of_memory(void (*raise)(void)) {
  raise_out_of_memory = raise;
}

_Noreturn void lox_out_of_memory(void) {
  raise_out_of_memory();
  spgc_fatal("the error \"out of memory\" returned");
}

struct spgc_ref lox_allocate(const struct lox_type *type) {
  struct spgc_ref object = spgc_allocate(&type->gc);
  if (spgc_ref_is_null(object))
    lox_out_of_memory();
  return object;
}

struct spgc_ref lox_allocate_array(const struct lox_type *type, uint64_t length) {
  struct spgc_ref object = spgc_allocate_array(&type->gc, length);
  if (spgc_ref_is_null(object))
    lox_out_of_memory();
  return object;
}

void *lox_memory(size_t size) {
  return lox_memory_resize(NULL, size);
}

void *lox_memory_resize(void *memory, size_t size) {
  void *resized = realloc(memory, size);
  if (resized == NULL)
    lox_out_of_memory();
  return resized;
}

/* Capacities are 0, 4, and powers of two above, so an array is full if its count is one of them. */
void *lox_memory_grow(void *items, uint64_t count, size_t size) {
  bool is_full = count == 0 || (count >= 4 && (count & (count - 1)) == 0);
  return is_full ? lox_memory_resize(items, (count == 0 ? 4 : 2 * count) * size) : items;
}

void lox_list_store_copy(struct spgc_ref to, struct spgc_ref from, uint64_t count) {
  struct lox_list_store *target = lox_as_list_store(to);
  const struct lox_list_store *source = lox_as_list_store(from);
  for (uint64_t i = 0; i < count; i++)
    spgc_store(spgc_slot_at(&target->items[i]), source->items[i]);
}
