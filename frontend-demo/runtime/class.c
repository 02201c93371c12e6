#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "spgc/allocate.h"
#include "spgc/handle.h"

static void inherit_methods(struct spgc_ref class_object, struct spgc_ref superclass) {
  struct lox_class_object *derived = lox_as_class(class_object);
  const struct lox_class_object *base = lox_as_class(superclass);
  for (uint64_t i = 0; i < base->method_count; i++)
    spgc_store(spgc_slot_at(&derived->methods[i]), base->methods[i]);
}

uint64_t lox_class_method_offset(struct spgc_ref class_object, uint64_t method) {
  const struct lox_class_layout *layout = lox_class_layout_of(lox_as_class(class_object)->layout);
  return LOX_CLASS_METHODS + layout->declared_indexes[method] * sizeof(struct spgc_ref);
}

/* Makes the closures of the methods that capture nothing. If two methods have one name, the later
 * one's is made. */
static void make_methods(struct spgc_handle class_object, const struct lox_class_site *site) {
  for (uint64_t i = 0; i < site->method_count; i++) {
    const struct lox_function_type *function = site->methods[i].function;
    if (function->capture_count > 0)
      continue;
    struct spgc_ref closure = lox_allocate(&function->type);
    char *made = spgc_ref_memory(spgc_handle_get(class_object));
    spgc_store(spgc_slot_at(made + lox_class_method_offset(spgc_handle_get(class_object), i)),
               closure);
  }
}

struct spgc_ref lox_class_make(const struct lox_class_site *site, struct spgc_ref superclass) {
  struct lox_layout *superlayout = NULL;
  if (!lox_is_nil(superclass)) {
    superlayout = (struct lox_layout *)lox_as_class(superclass)->layout;
  }
  const struct lox_class_layout *layout = lox_layout_get(site, superlayout);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle super = spgc_handle_make(superclass);
  struct spgc_handle made =
      spgc_handle_make(lox_allocate_array(&layout->abi.type, layout->method_count));
  spgc_store(spgc_slot_at(&lox_as_class(spgc_handle_get(made))->superclass),
             spgc_handle_get(super));
  if (superlayout != NULL)
    inherit_methods(spgc_handle_get(made), spgc_handle_get(super));
  make_methods(made, site);
  struct spgc_ref class_object = spgc_handle_get(made);
  spgc_scope_close(scope);
  return class_object;
}
