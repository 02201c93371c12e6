/* Weak fields in collections. With the world stopped, each trace first clears the fields whose
 * referents were not reached, and settles the fields when it is complete. */
#ifndef SPGC_GC_WEAK_WEAK_FIELD_H
#define SPGC_GC_WEAK_WEAK_FIELD_H

#include "gc/mutator/handles.h"
#include "gc/weak/side_table.h"

/* An entry is a bound field; its place is the field's offset. Written under SPGC_LOCK_WEAK_FIELDS,
 * or with the world stopped. */
extern struct spgc_side_table spgc_weak_fields;

void spgc_weak_fields_clear(const struct spgc_liveness *liveness);
void spgc_weak_fields_settle(const struct spgc_liveness *liveness);

/* Visits the weak fields of one object. */
void spgc_weak_fields_read(struct spgc_ref object, spgc_root_visitor visit, void *context);

/* Visits the objects with weak fields, and the fields, for verification. */
void spgc_weak_fields_visit(spgc_root_visitor visit, void *context);

/* Frees the table before the heap is destroyed. */
void spgc_weak_fields_stop(void);

#endif
