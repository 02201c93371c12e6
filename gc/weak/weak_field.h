#ifndef SPGC_GC_WEAK_WEAK_FIELD_H
#define SPGC_GC_WEAK_WEAK_FIELD_H

#include "gc/weak/side_table.h"

/* The place is the field's offset. Written under SPGC_LOCK_WEAK_FIELDS, or with the world
 * stopped. */
extern struct spgc_side_table spgc_weak_fields;

void spgc_weak_fields_clear(const struct spgc_liveness *liveness);

void spgc_weak_fields_read(struct spgc_ref object, spgc_root_visitor visit, void *context);

/* ---- Weak elements: arrays with SPGC_TYPE_TAIL_WEAK (spgc/type.h) ----
 *
 * An evacuation records the elements that refer to condemned objects, instead of following them.
 * Without memory for that, or if a store buffer names an element of a small array, the element
 * keeps its object alive until a later collection.
 *
 * A marking does not follow elements: it flags the arrays' blocks (`has_weak`), and weak processing
 * reads all of these arrays, because any element's object may have died. */
void spgc_weak_elements_clear(const struct spgc_liveness *liveness);

#endif
