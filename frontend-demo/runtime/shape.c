#include "frontend-demo/runtime/shape.h"

#include <string.h>

#include "frontend-demo/runtime/object.h"

/* The words after the header: the class, and the inline slots. */
static const char *const *name_words(const struct lox_shape *shape) {
  const char **names = (const char **)lox_memory((1 + shape->inline_slots) * sizeof *names);
  names[0] = "class";
  for (uint32_t slot = 0; slot < shape->inline_slots; slot++) {
    bool is_field = slot < shape->field_count && lox_shape_field_is_inline(shape, slot);
    bool is_overflow = lox_shape_overflows(shape) && slot + 1 == shape->inline_slots;
    names[1 + slot] = is_field      ? shape->fields->names[slot]->text
                      : is_overflow ? "further fields"
                                    : NULL;
  }
  return names;
}

static struct lox_shape *make_shape(struct lox_class_layout *layout, uint32_t inline_slots,
                                    struct lox_field_list *fields, uint32_t field_count) {
  struct lox_shape *shape = lox_memory(sizeof *shape);
  *shape = (struct lox_shape){
      .type = LOX_TYPE(LOX_OBJECT_INSTANCE, NULL,
                       .size = (uint32_t)lox_shape_inline_offset(inline_slots),
                       .flags = SPGC_TYPE_VALUES, .name = layout->abi.site->name),
      .layout = layout,
      .fields = fields,
      .inline_slots = inline_slots,
      .field_count = field_count,
  };
  shape->type.field_names = name_words(shape);
  return shape;
}

static struct lox_field_list *make_field_list(void) {
  struct lox_field_list *fields = lox_memory(sizeof *fields);
  *fields = (struct lox_field_list){.count = 0};
  return fields;
}

static void append_field(struct lox_field_list *fields, const struct lox_symbol *name) {
  fields->names = (const struct lox_symbol **)lox_memory_grow((void *)fields->names, fields->count,
                                                              sizeof *fields->names);
  lox_symbol_map_add(&fields->indexes, name, fields->count);
  fields->names[fields->count++] = name;
}

uint32_t lox_shape_find_field(const struct lox_shape *shape, const struct lox_symbol *name) {
  uint32_t field = lox_symbol_map_find(&shape->fields->indexes, name);
  return field < shape->field_count ? field : LOX_SYMBOL_MISSING;
}

static struct lox_field_list *extend_fields(const struct lox_shape *shape,
                                            const struct lox_symbol *name) {
  struct lox_field_list *fields = shape->fields;
  if (fields->count > shape->field_count) {
    fields = make_field_list();
    for (uint32_t i = 0; i < shape->field_count; i++)
      append_field(fields, shape->fields->names[i]);
  }
  append_field(fields, name);
  return fields;
}

static const struct lox_symbol *last_field(const struct lox_shape *shape) {
  return shape->fields->names[shape->field_count - 1];
}

struct lox_shape *lox_shape_add_field(struct lox_shape *shape, const struct lox_symbol *name) {
  for (uint32_t i = 0; i < shape->next_count; i++) {
    if (last_field(shape->nexts[i]) == name)
      return shape->nexts[i];
  }
  shape->nexts = (struct lox_shape **)lox_memory_grow((void *)shape->nexts, shape->next_count,
                                                      sizeof *shape->nexts);
  struct lox_shape *next = make_shape(shape->layout, shape->inline_slots,
                                      extend_fields(shape, name), shape->field_count + 1);
  shape->nexts[shape->next_count++] = next;
  return next;
}

struct lox_shape *lox_shape_make_first(struct lox_class_layout *layout, uint32_t inline_slots) {
  return make_shape(layout, inline_slots, make_field_list(), 0);
}
