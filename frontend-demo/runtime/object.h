/* Pointers from lox_as_ functions are valid until the next safepoint. */
#ifndef LOX_RUNTIME_OBJECT_H
#define LOX_RUNTIME_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/value.h"

struct lox_shape;

struct lox_closure {
  const struct lox_function_type *type;
  struct spgc_ref captures[];
};

struct lox_class_object {
  const struct lox_layout *layout;
  uint64_t method_count;
  struct spgc_ref superclass; /* or nil */
  struct spgc_ref methods[];
};

struct lox_instance {
  struct lox_shape *shape;
  struct spgc_ref class_object;
  /* The last one holds a list store if there are more fields than slots. */
  struct spgc_ref slots[];
};

struct lox_bound_method {
  const struct lox_type *type;
  struct spgc_ref closure;
  struct spgc_ref receiver;
};

/* 0 <= count <= capacity of the store; later items are LOX_VALUE_NOTHING. */
struct lox_list {
  const struct lox_type *type;
  uint64_t count;
  struct spgc_ref store; /* a list store, or nothing while the capacity is 0 */
};

struct lox_list_store {
  const struct lox_type *type;
  uint64_t capacity;
  struct spgc_ref items[];
};

struct lox_native_object {
  const struct lox_native *native;
};

_Static_assert(offsetof(struct lox_closure, captures) == LOX_CLOSURE_CELLS, "closure layout");
_Static_assert(offsetof(struct lox_class_object, superclass) == LOX_CLASS_SUPERCLASS,
               "class layout");
_Static_assert(offsetof(struct lox_class_object, methods) == LOX_CLASS_METHODS, "class layout");
_Static_assert(offsetof(struct lox_instance, class_object) == LOX_INSTANCE_CLASS,
               "instance layout");
_Static_assert(offsetof(struct lox_instance, slots) == LOX_INSTANCE_SLOTS, "instance layout");
_Static_assert(offsetof(struct lox_bound_method, closure) == LOX_BOUND_METHOD_CLOSURE,
               "bound method layout");
_Static_assert(offsetof(struct lox_bound_method, receiver) == LOX_BOUND_METHOD_RECEIVER,
               "bound method layout");
_Static_assert(offsetof(struct lox_list, count) == LOX_LIST_COUNT, "list layout");
_Static_assert(offsetof(struct lox_list, store) == LOX_LIST_STORE_FIELD, "list layout");
_Static_assert(offsetof(struct lox_list_store, capacity) == LOX_STORE_CAPACITY,
               "list store layout");
_Static_assert(offsetof(struct lox_list_store, items) == LOX_STORE_ITEMS, "list store layout");

#define LOX_AS(name, type)                                                                         \
  static inline struct type *lox_as_##name(struct spgc_ref object) {                               \
    return spgc_ref_memory(object);                                                                \
  }
LOX_AS(closure, lox_closure)
LOX_AS(class, lox_class_object)
LOX_AS(instance, lox_instance)
LOX_AS(bound_method, lox_bound_method)
LOX_AS(list, lox_list)
LOX_AS(list_store, lox_list_store)
LOX_AS(native, lox_native_object)
#undef LOX_AS

/* Objects that cannot be called; the last arguments are fields of struct spgc_type. */
#define LOX_TYPE(kind_, names, ...)                                                                \
  {.gc = {.field_names = LOX_FIELD_NAMES, __VA_ARGS__},                                            \
   .kind = (kind_),                                                                                \
   .call_key = LOX_NOT_CALLABLE,                                                                   \
   .field_names = (names)}

/* Call it before the others here. `raise` must not return. */
void lox_set_out_of_memory(void (*raise)(void));
_Noreturn void lox_out_of_memory(void);

/* Raise "Out of memory." instead of returning null. Safepoints. */
struct spgc_ref lox_allocate(const struct lox_type *type);
struct spgc_ref lox_allocate_array(const struct lox_type *type, uint64_t length);

/* The store doubles when full, and halves when three quarters are unused. Safepoints. */
void lox_list_push(struct spgc_ref list, struct spgc_ref value);
struct spgc_ref lox_list_pop(struct spgc_ref list);

void lox_list_store_copy(struct spgc_ref to, struct spgc_ref from, uint64_t count);

/* Memory outside the heap. They raise "Out of memory." `size` > 0. */
void *lox_memory(size_t size);
void *lox_memory_resize(void *memory, size_t size);

/* Makes room for one more item of `size` bytes. The array must always grow this way. */
void *lox_memory_grow(void *items, uint64_t count, size_t size);

#endif
