#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "spgc/allocate.h"
#include "spgc/handle.h"

/* An overflow's first capacity; it doubles. */
enum { OVERFLOW_ITEMS = 4 };

static struct spgc_ref *overflow_slot(struct spgc_ref instance) {
  return &lox_as_instance(instance)->slots[lox_as_instance(instance)->shape->inline_slots - 1];
}

struct spgc_slot lox_field_slot(struct spgc_ref instance, uint32_t field) {
  const struct lox_shape *shape = lox_as_instance(instance)->shape;
  if (lox_shape_field_is_inline(shape, field))
    return spgc_slot_at(&lox_as_instance(instance)->slots[field]);
  uint32_t item = field - (shape->inline_slots - 1);
  return spgc_slot_at(&lox_as_list_store(*overflow_slot(instance))->items[item]);
}

/* Returns the instance, which may have moved. */
static struct spgc_ref make_room(struct spgc_ref object, uint32_t needed) {
  struct spgc_ref last = *overflow_slot(object);
  bool overflows = lox_shape_overflows(lox_as_instance(object)->shape);
  uint64_t capacity = overflows ? lox_as_list_store(last)->capacity : 0;
  if (needed <= capacity)
    return object;
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle instance = spgc_handle_make(object);
  struct spgc_handle kept = spgc_handle_make(last);
  struct spgc_ref store =
      lox_allocate_array(&lox_list_store_type, overflows ? capacity * 2 : OVERFLOW_ITEMS);
  if (overflows)
    lox_list_store_copy(store, spgc_handle_get(kept), capacity);
  else
    spgc_store(spgc_slot_at(&lox_as_list_store(store)->items[0]), spgc_handle_get(kept));
  object = spgc_handle_get(instance);
  spgc_store(spgc_slot_at(overflow_slot(object)), store);
  spgc_scope_close(scope);
  return object;
}

const struct lox_shape *lox_instance_add_field(struct spgc_ref object,
                                               const struct lox_symbol *name,
                                               struct spgc_ref value) {
  struct lox_shape *shape = lox_as_instance(object)->shape;
  struct lox_shape *next = lox_shape_add_field(shape, name);
  if (lox_shape_overflows(next)) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle kept = spgc_handle_make(value);
    object = make_room(object, next->field_count - (shape->inline_slots - 1));
    value = spgc_handle_get(kept);
    spgc_scope_close(scope);
  }
  lox_as_instance(object)->shape = next;
  spgc_store(lox_field_slot(object, shape->field_count), value);
  return next;
}
