#include <search.h>
#include <stdlib.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "spgc/allocate.h"
#include "spgc/handle.h"

/* A tree of tsearch(3). Written by the thread that runs Lox. */
static void *layouts;

static int order(uintptr_t a, uintptr_t b) {
  return (a > b) - (a < b);
}

static int compare(const void *left, const void *right) {
  const struct lox_layout *a = left, *b = right;
  int by_site = order((uintptr_t)a->site, (uintptr_t)b->site);
  return by_site ? by_site : order((uintptr_t)a->superlayout, (uintptr_t)b->superlayout);
}

/* Of two methods with one name, the later replaces the earlier; so do their closures. */
static void add_methods(struct lox_class_layout *layout, const struct lox_class_layout *super) {
  const struct lox_class_site *site = layout->abi.site;
  uint32_t inherited = super == NULL ? 0 : super->method_count;
  layout->methods = lox_memory((inherited + site->method_count + 1) * sizeof *layout->methods);
  layout->declared_indexes =
      lox_memory((site->method_count + 1) * sizeof *layout->declared_indexes);
  for (; layout->method_count < inherited; layout->method_count++) {
    layout->methods[layout->method_count] = super->methods[layout->method_count];
    lox_symbol_map_add(&layout->method_indexes, super->methods[layout->method_count].name,
                       layout->method_count);
  }
  for (uint64_t i = 0; i < site->method_count; i++) {
    const struct lox_symbol *name = lox_symbol_of(site->methods[i].name);
    uint32_t index = lox_symbol_map_find(&layout->method_indexes, name);
    if (index == LOX_SYMBOL_MISSING) {
      index = layout->method_count++;
      lox_symbol_map_add(&layout->method_indexes, name, index);
    }
    layout->methods[index] = (struct lox_method_entry){name, site->methods[i].function};
    layout->declared_indexes[i] = index;
  }
}

static uint32_t count_inline_slots(const struct lox_layout *layout) {
  struct lox_symbol_map predicted = {.count = 0};
  for (; layout != NULL; layout = layout->superlayout) {
    for (uint64_t i = 0; i < layout->site->field_count; i++) {
      const struct lox_symbol *name = lox_symbol_of(layout->site->fields[i]);
      if (lox_symbol_map_find(&predicted, name) == LOX_SYMBOL_MISSING)
        lox_symbol_map_add(&predicted, name, predicted.count);
    }
  }
  free(predicted.entries);
  return predicted.count < LOX_INLINE_SLOTS_MIN ? LOX_INLINE_SLOTS_MIN : predicted.count;
}

struct spgc_ref lox_construct_default(struct spgc_ref callee) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle class_object = spgc_handle_make(callee);
  struct spgc_ref instance = lox_allocate(&lox_as_class(callee)->layout->first_shape->type);
  spgc_store(spgc_slot_at(&lox_as_instance(instance)->class_object), spgc_handle_get(class_object));
  spgc_scope_close(scope);
  return instance;
}

static void choose_constructor(struct lox_layout *layout) {
  const struct lox_class_site *site = layout->site;
  layout->type.call_key = 0;
  layout->type.code = (void *)lox_construct_default;
  if (site->initializer != NULL) {
    layout->type.call_key = site->initializer->arity;
    layout->type.code = site->construct;
  } else if (layout->superlayout != NULL) {
    layout->type.call_key = layout->superlayout->type.call_key;
    layout->type.code = layout->superlayout->type.code;
  }
  uint32_t index = lox_symbol_map_find(&lox_class_layout_of(layout)->method_indexes,
                                       lox_symbol_intern("init", 4));
  layout->initializer_index = index == LOX_SYMBOL_MISSING ? 0 : index;
}

static const char *const class_names[] = {"superclass"};

static struct lox_class_layout *make_layout(const struct lox_class_site *site,
                                            struct lox_layout *superlayout) {
  struct lox_class_layout *layout = lox_memory(sizeof *layout);
  *layout = (struct lox_class_layout){
      .abi = {.type = {.gc = {.size = LOX_CLASS_METHODS,
                              .element_size = sizeof(struct spgc_ref),
                              .flags = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES,
                              .field_names = LOX_FIELD_NAMES,
                              .name = "class"},
                       .kind = LOX_OBJECT_CLASS,
                       .field_names = class_names},
              .site = site,
              .superlayout = superlayout},
  };
  add_methods(layout, superlayout == NULL ? NULL : lox_class_layout_of(superlayout));
  choose_constructor(&layout->abi);
  layout->abi.first_shape = lox_shape_make_first(layout, count_inline_slots(&layout->abi));
  return layout;
}

struct lox_class_layout *lox_layout_get(const struct lox_class_site *site,
                                        struct lox_layout *superlayout) {
  const struct lox_layout key = {.site = site, .superlayout = superlayout};
  struct lox_class_layout **found = tfind(&key, &layouts, compare);
  if (found != NULL)
    return *found;
  struct lox_class_layout *layout = make_layout(site, superlayout);
  if (tsearch(layout, &layouts, compare) == NULL)
    lox_out_of_memory();
  return layout;
}

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

void lox_check_superclass(struct spgc_ref superclass) {
  if (!lox_is_kind(superclass, LOX_OBJECT_CLASS))
    lox_error("Superclass must be a class.");
}
