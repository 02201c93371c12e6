/* Sampled objects, which the allocation profile follows until they die. */
#ifndef SPGC_GC_WEAK_SAMPLED_OBJECT_H
#define SPGC_GC_WEAK_SAMPLED_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"

/* Numbers in the profile's tables. */
struct spgc_sampled_object {
  uint32_t stack, type;
  uint64_t bytes;
};

/* `survived` counts collections. Under SPGC_LOCK_SAMPLES. */
typedef void spgc_sampled_object_visitor(void *context, const struct spgc_sampled_object *sampled,
                                         uint64_t survived);

/* `died` is called with the world stopped. No thread is attached, or the world is stopped. */
void spgc_sampled_objects_start(spgc_sampled_object_visitor *died);

/* False if too many are followed, or memory is short. Under SPGC_LOCK_SAMPLES. */
bool spgc_sampled_objects_add(struct spgc_ref object, const struct spgc_sampled_object *sampled);

/* Not known to be dead. Under SPGC_LOCK_SAMPLES. */
void spgc_sampled_objects_each(spgc_sampled_object_visitor *visit, void *context);

/* No thread is attached, or the world is stopped. */
void spgc_sampled_objects_stop(void);

#endif
