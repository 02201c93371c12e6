/* Sampled objects: those that the allocation profile follows until they die. */
#ifndef SPGC_GC_WEAK_SAMPLED_OBJECT_H
#define SPGC_GC_WEAK_SAMPLED_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"

/* What the profile knows about an object: numbers in its own tables. */
struct spgc_sampled_object {
  uint32_t stack, type;
  uint64_t bytes;
};

/* The number of collections that the object survived. Under SPGC_LOCK_SAMPLES. */
typedef void spgc_sampled_object_visitor(void *context, const struct spgc_sampled_object *sampled,
                                         uint64_t survived);

/* `died` will be called for each object found dead, with the world stopped. No thread is attached,
 * or the world is stopped. */
void spgc_sampled_objects_start(spgc_sampled_object_visitor *died);

/* False if too many are followed, or the process is out of memory. The caller holds
 * SPGC_LOCK_SAMPLES. */
bool spgc_sampled_objects_add(struct spgc_ref object, const struct spgc_sampled_object *sampled);

/* Visits the objects not known to be dead. Under SPGC_LOCK_SAMPLES. */
void spgc_sampled_objects_each(spgc_sampled_object_visitor *visit, void *context);

/* A collection begins. */
void spgc_sampled_objects_begin(void);

/* No object is followed any more. No thread is attached, or the world is stopped. */
void spgc_sampled_objects_stop(void);

#endif
