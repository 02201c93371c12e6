#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/number.h"
#include "frontend-demo/runtime/object.h"
#include "spgc/allocate.h"
#include "spgc/handle.h"

enum { CAPACITY_MIN = 4 };

static void fill_with_nil(struct spgc_ref store) {
  struct lox_list_store *items = lox_as_list_store(store);
  for (uint64_t i = 0; i < items->capacity; i++)
    items->items[i] = lox_nil();
}

struct spgc_ref lox_list_make(uint64_t count) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle made = spgc_handle_make(lox_allocate(&lox_list_type));
  if (count > 0) {
    struct spgc_ref store = lox_allocate_array(&lox_list_store_type, count);
    fill_with_nil(store);
    lox_as_list(spgc_handle_get(made))->count = count;
    spgc_store(spgc_slot_at(&lox_as_list(spgc_handle_get(made))->store), store);
  }
  struct spgc_ref list = spgc_handle_get(made);
  spgc_scope_close(scope);
  return list;
}

static uint64_t capacity_of(struct spgc_ref list) {
  struct spgc_ref store = lox_as_list(list)->store;
  return lox_is_nothing(store) ? 0 : lox_as_list_store(store)->capacity;
}

static void set_capacity(struct spgc_handle list, uint64_t capacity) {
  struct spgc_ref store = lox_allocate_array(&lox_list_store_type, capacity);
  struct lox_list *resized = lox_as_list(spgc_handle_get(list));
  if (resized->count > 0)
    lox_list_store_copy(store, resized->store, resized->count);
  spgc_store(spgc_slot_at(&resized->store), store);
}

static struct spgc_slot item_slot(struct spgc_ref list, uint64_t index) {
  return spgc_slot_at(&lox_as_list_store(lox_as_list(list)->store)->items[index]);
}

void lox_list_fill(struct spgc_ref list, uint64_t index, struct spgc_ref item) {
  spgc_store(item_slot(list, index), item);
}

void lox_list_push(struct spgc_ref list, struct spgc_ref value) {
  uint64_t capacity = capacity_of(list);
  if (lox_as_list(list)->count == capacity) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle kept_list = spgc_handle_make(list), kept_value = spgc_handle_make(value);
    set_capacity(kept_list, capacity == 0 ? CAPACITY_MIN : capacity * 2);
    list = spgc_handle_get(kept_list);
    value = spgc_handle_get(kept_value);
    spgc_scope_close(scope);
  }
  spgc_store(item_slot(list, lox_as_list(list)->count), value);
  lox_as_list(list)->count++;
}

struct spgc_ref lox_list_pop(struct spgc_ref list) {
  uint64_t count = --lox_as_list(list)->count;
  struct spgc_ref value = spgc_slot_load(item_slot(list, count));
  spgc_store(item_slot(list, count), lox_nothing());
  uint64_t capacity = capacity_of(list);
  if (capacity > CAPACITY_MIN && count <= capacity / 4) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle kept_list = spgc_handle_make(list), kept_value = spgc_handle_make(value);
    set_capacity(kept_list, capacity / 2);
    value = spgc_handle_get(kept_value);
    spgc_scope_close(scope);
  }
  return value;
}

_Noreturn void lox_error_index(struct spgc_ref list, struct spgc_ref index) {
  if (!lox_is_kind(list, LOX_OBJECT_LIST))
    lox_error("Only lists can be indexed.");
  if (!lox_is_number(index) || !lox_number_is_integer(lox_to_double(index)))
    lox_error("List index must be an integer.");
  lox_error("List index out of range.");
}
