#ifndef SPGC_GC_WEAK_WEAK_FIELD_H
#define SPGC_GC_WEAK_WEAK_FIELD_H

#include "gc/weak/side_table.h"

/* The place is the field's offset. Written under SPGC_LOCK_WEAK_FIELDS, or with the world
 * stopped. */
extern struct spgc_side_table spgc_weak_fields;

void spgc_weak_fields_clear(const struct spgc_liveness *liveness);

void spgc_weak_fields_read(struct spgc_ref object, spgc_root_visitor visit, void *context);

#endif
