#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "spgc/allocate.h"
#include "spgc/handle.h"

static uint64_t method_offset(uint32_t method) {
  return LOX_CLASS_METHODS + method * sizeof(struct spgc_ref);
}

static struct spgc_ref bind(struct spgc_ref receiver, struct spgc_ref method_closure) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle self = spgc_handle_make(receiver);
  struct spgc_handle closure = spgc_handle_make(method_closure);
  struct spgc_ref bound = lox_allocate(&lox_as_closure(method_closure)->type->bound_type);
  spgc_store(spgc_slot_at(&lox_as_bound_method(bound)->closure), spgc_handle_get(closure));
  spgc_store(spgc_slot_at(&lox_as_bound_method(bound)->receiver), spgc_handle_get(self));
  spgc_scope_close(scope);
  return bound;
}

static uint32_t require_method(const struct lox_class_layout *layout,
                               const struct lox_symbol *name) {
  uint32_t method = lox_symbol_map_find(&layout->method_indexes, name);
  if (method == LOX_SYMBOL_MISSING)
    lox_error_undefined_property(name->text);
  return method;
}

static void remember_property(struct lox_property_cache *cache, const struct lox_shape *shape,
                              const struct lox_shape *next, uint32_t field) {
  struct lox_property_entry entry = {shape, next, lox_shape_inline_offset(field)};
  cache->entries[cache->fill_count++ % LOX_CACHE_ENTRIES] = entry;
}

static const struct lox_invoke_entry *
remember_method(struct lox_invoke_cache *cache, const struct lox_shape *shape, uint32_t method) {
  struct lox_invoke_entry *entry = &cache->entries[cache->fill_count++ % LOX_CACHE_ENTRIES];
  void *code = shape->layout->methods[method].function->method_code;
  *entry = (struct lox_invoke_entry){shape, method_offset(method), code};
  return entry;
}

static struct spgc_slot cached_slot(struct spgc_ref object,
                                    const struct lox_property_entry *entry) {
  return spgc_slot_at((struct spgc_ref *)((char *)spgc_ref_memory(object) + entry->offset));
}

static struct spgc_ref get_uncached(struct spgc_ref object, struct lox_property_cache *cache) {
  const struct lox_symbol *name = lox_symbol_of(cache->name);
  const struct lox_instance *instance = lox_as_instance(object);
  const struct lox_shape *shape = instance->shape;
  uint32_t field = lox_shape_find_field(shape, name);
  if (field == LOX_SYMBOL_MISSING) {
    uint32_t method = require_method(shape->layout, name);
    return bind(object, lox_as_class(instance->class_object)->methods[method]);
  }
  if (lox_shape_field_is_inline(shape, field))
    remember_property(cache, shape, shape, field);
  return spgc_slot_load(lox_field_slot(object, field));
}

struct spgc_ref lox_get_miss(struct spgc_ref object, struct lox_property_cache *cache) {
  if (!lox_is_kind(object, LOX_OBJECT_INSTANCE))
    lox_error("Only instances have properties.");
  const struct lox_shape *shape = lox_as_instance(object)->shape;
  for (int i = 0; i < LOX_CACHE_ENTRIES; i++) {
    if (cache->entries[i].next_shape == shape)
      return spgc_slot_load(cached_slot(object, &cache->entries[i]));
  }
  return get_uncached(object, cache);
}

static void add_field(struct spgc_ref object, struct spgc_ref value,
                      struct lox_property_cache *cache, const struct lox_symbol *name) {
  const struct lox_shape *shape = lox_as_instance(object)->shape;
  const struct lox_shape *next = lox_instance_add_field(object, name, value);
  if (!lox_shape_overflows(next))
    remember_property(cache, shape, next, shape->field_count);
}

static void set_uncached(struct spgc_ref object, struct spgc_ref value,
                         struct lox_property_cache *cache) {
  const struct lox_symbol *name = lox_symbol_of(cache->name);
  const struct lox_shape *shape = lox_as_instance(object)->shape;
  uint32_t field = lox_shape_find_field(shape, name);
  if (field == LOX_SYMBOL_MISSING) {
    add_field(object, value, cache, name);
    return;
  }
  if (lox_shape_field_is_inline(shape, field))
    remember_property(cache, shape, shape, field);
  spgc_store(lox_field_slot(object, field), value);
}

void lox_set_miss(struct spgc_ref object, struct spgc_ref value, struct lox_property_cache *cache) {
  if (!lox_is_kind(object, LOX_OBJECT_INSTANCE))
    lox_error("Only instances have fields.");
  struct lox_instance *instance = lox_as_instance(object);
  for (int i = 0; i < LOX_CACHE_ENTRIES; i++) {
    const struct lox_property_entry *entry = &cache->entries[i];
    if (entry->shape == instance->shape || entry->next_shape == instance->shape) {
      instance->shape = (struct lox_shape *)entry->next_shape;
      spgc_store(cached_slot(object, entry), value);
      return;
    }
  }
  set_uncached(object, value, cache);
}

static void require_arity(const struct lox_method_entry *method, uint64_t argument_count) {
  if (method->function->arity != argument_count)
    lox_error_argument_count(method->function->arity, argument_count);
}

/* The field that shadows the method looked up last. Written by the thread that runs Lox. */
static const struct lox_symbol *shadowing_name;

static const struct lox_invoke_entry *invoke_uncached(const struct lox_shape *shape,
                                                      struct lox_invoke_cache *cache) {
  const struct lox_symbol *name = lox_symbol_of(cache->name);
  if (lox_shape_find_field(shape, name) != LOX_SYMBOL_MISSING) {
    shadowing_name = name;
    return &cache->shadowed;
  }
  uint32_t method = require_method(shape->layout, name);
  require_arity(&shape->layout->methods[method], cache->argument_count);
  return remember_method(cache, shape, method);
}

const struct lox_invoke_entry *lox_invoke_miss(struct spgc_ref receiver,
                                               struct lox_invoke_cache *cache) {
  if (!lox_is_kind(receiver, LOX_OBJECT_INSTANCE))
    lox_error("Only instances have methods.");
  const struct lox_shape *shape = lox_as_instance(receiver)->shape;
  for (int i = 0; i < LOX_CACHE_ENTRIES; i++) {
    if (cache->entries[i].shape == shape)
      return &cache->entries[i];
  }
  return invoke_uncached(shape, cache);
}

struct spgc_ref lox_shadowing_field(struct spgc_ref receiver) {
  uint32_t field = lox_shape_find_field(lox_as_instance(receiver)->shape, shadowing_name);
  return spgc_slot_load(lox_field_slot(receiver, field));
}

struct spgc_ref lox_super_get(struct spgc_ref superclass, struct spgc_ref receiver,
                              struct lox_name_literal *name) {
  const struct lox_class_object *class_object = lox_as_class(superclass);
  uint32_t method = require_method(lox_class_layout_of(class_object->layout), lox_symbol_of(name));
  return bind(receiver, class_object->methods[method]);
}
