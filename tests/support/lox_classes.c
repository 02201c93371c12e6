#include "tests/support/lox_classes.h"

#include <stddef.h>

#include "frontend-demo/runtime/object.h"
#include "spgc/allocate.h"

struct spgc_handle lox_declare(const struct lox_class_site *site, struct spgc_ref superclass) {
  struct spgc_handle class_object = spgc_handle_make(lox_class_make(site, superclass));
  for (uint64_t i = 0; i < site->method_count; i++) {
    struct spgc_ref closure = lox_allocate(&site->methods[i].function->type);
    struct spgc_ref target = spgc_handle_get(class_object);
    char *field = (char *)spgc_ref_memory(target) + lox_class_method_offset(target, i);
    spgc_store(spgc_slot_at(field), closure);
  }
  return class_object;
}

struct spgc_handle lox_instantiate(struct spgc_handle class_object) {
  return spgc_handle_make(lox_construct_default(spgc_handle_get(class_object)));
}

struct spgc_ref lox_get_through(struct lox_property_cache *cache, struct spgc_ref object,
                                int *hits) {
  for (int i = 0; i < LOX_CACHE_ENTRIES; i++) {
    const struct lox_property_entry *entry = &cache->entries[i];
    if (lox_as_instance(object)->shape != entry->next_shape)
      continue;
    if (hits != NULL)
      ++*hits;
    return spgc_slot_load(spgc_slot_at((char *)spgc_ref_memory(object) + entry->offset));
  }
  return lox_get_miss(object, cache);
}

void lox_set_through(struct lox_property_cache *cache, struct spgc_ref object,
                     struct spgc_ref value, int *hits) {
  for (int i = 0; i < LOX_CACHE_ENTRIES; i++) {
    const struct lox_property_entry *entry = &cache->entries[i];
    if (lox_as_instance(object)->shape != entry->shape)
      continue;
    if (hits != NULL)
      ++*hits;
    lox_as_instance(object)->shape = (struct lox_shape *)entry->next_shape;
    spgc_store(spgc_slot_at((char *)spgc_ref_memory(object) + entry->offset), value);
    return;
  }
  lox_set_miss(object, value, cache);
}
