/* Heap objects as C structures. A pointer from a lox_as_ function is valid until the next
 * safepoint. */
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
  /* The last slot holds a list store once the instance has more fields than slots. */
  struct spgc_ref slots[];
};

struct lox_bound_method {
  const struct lox_type *type;
  struct spgc_ref closure;
  struct spgc_ref receiver;
};

/* 0 <= count <= capacity of the store; items from count on are LOX_VALUE_NOTHING. */
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

/* Outside the heap, see native.h. */
struct lox_native_object {
  const struct lox_native *native;
};

/* The collector and generated code rely on these sizes and offsets. */
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

static inline struct lox_closure *lox_as_closure(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

static inline struct lox_class_object *lox_as_class(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

static inline struct lox_instance *lox_as_instance(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

static inline struct lox_bound_method *lox_as_bound_method(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

static inline struct lox_list *lox_as_list(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

static inline struct lox_list_store *lox_as_list_store(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

static inline struct lox_native_object *lox_as_native(struct spgc_ref object) {
  return spgc_ref_memory(object);
}

/* What raises "Out of memory."; it does not return. Must be called before the others here. */
void lox_set_out_of_memory(void (*raise)(void));
_Noreturn void lox_out_of_memory(void);

/* Like spgc_allocate and spgc_allocate_array, but raise "Out of memory." instead of returning null.
 * Safepoints. */
struct spgc_ref lox_allocate(const struct lox_type *type);
struct spgc_ref lox_allocate_array(const struct lox_type *type, uint64_t length);

/* Copies the first `count` items of a list store. */
void lox_list_store_copy(struct spgc_ref to, struct spgc_ref from, uint64_t count);

/* malloc and realloc for data outside the heap; they raise "Out of memory." instead of returning
 * NULL. `size` > 0. */
void *lox_memory(size_t size);
void *lox_memory_resize(void *memory, size_t size);

/* Makes room for one more item of `size` bytes after `count` items of an array that grows only
 * so. */
void *lox_memory_grow(void *items, uint64_t count, size_t size);

#endif
