/* Shapes and layouts describe the words of instances and class objects.
 *
 * A layout belongs to a class declaration and its superclass's layout, and knows each method's
 * index. A shape belongs to a layout and an order of added fields. Field number k of an instance is
 * in slot k while the shape's fields fit its inline slots. Otherwise the last inline slot holds the
 * overflow, a list store:
 *
 *   field k   inline slot k                          k < inline_slots - 1, or
 *                                                    field_count <= inline_slots
 *             overflow item k - (inline_slots - 1)   otherwise
 *
 * All live until the process ends. Only the thread that runs Lox writes them. */
#ifndef LOX_RUNTIME_SHAPE_H
#define LOX_RUNTIME_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/symbol.h"

struct lox_method_entry {
  const struct lox_symbol *name;
  const struct lox_function_type *function;
};

/* The superclass's methods come first and keep their indexes. */
struct lox_class_layout {
  struct lox_layout abi;
  struct lox_symbol_map method_indexes;
  struct lox_method_entry *methods;
  uint32_t method_count;
  uint32_t *declared_indexes; /* by number of the method in the declaration */
};

_Static_assert(offsetof(struct lox_class_layout, abi) == 0,
               "a layout begins with what generated code reads");

/* In the order of addition. The shapes of one line of descent share the list; each has its first
 * field_count fields. A second line gets a copy. */
struct lox_field_list {
  struct lox_symbol_map indexes;
  const struct lox_symbol **names;
  uint32_t count;
};

struct lox_shape {
  struct lox_type type; /* the header of instances */
  struct lox_class_layout *layout;
  struct lox_field_list *fields;
  uint32_t inline_slots; /* >= LOX_INLINE_SLOTS_MIN; constant */
  uint32_t field_count;
  uint32_t next_count;
  struct lox_shape **nexts; /* shapes with one more field */
};

static inline const struct lox_class_layout *lox_class_layout_of(const struct lox_layout *layout) {
  return (const struct lox_class_layout *)layout;
}

/* Made at the first call. `superlayout` is NULL without a superclass. */
struct lox_class_layout *lox_layout_get(const struct lox_class_site *site,
                                        struct lox_layout *superlayout);

struct lox_shape *lox_shape_make_first(struct lox_class_layout *layout, uint32_t inline_slots);

/* LOX_SYMBOL_MISSING if there is none. */
uint32_t lox_shape_find_field(const struct lox_shape *shape, const struct lox_symbol *name);

/* The field must be new. */
struct lox_shape *lox_shape_add_field(struct lox_shape *shape, const struct lox_symbol *name);

static inline bool lox_shape_overflows(const struct lox_shape *shape) {
  return shape->field_count > shape->inline_slots;
}

static inline bool lox_shape_field_is_inline(const struct lox_shape *shape, uint32_t field) {
  return field + 1 < shape->inline_slots || !lox_shape_overflows(shape);
}

static inline uint64_t lox_shape_inline_offset(uint32_t slot) {
  return LOX_INSTANCE_SLOTS + slot * sizeof(struct spgc_ref);
}

struct spgc_slot lox_field_slot(struct spgc_ref instance, uint32_t field);

/* Returns the new shape. A safepoint. */
const struct lox_shape *lox_instance_add_field(struct spgc_ref object,
                                               const struct lox_symbol *name,
                                               struct spgc_ref value);

#endif
