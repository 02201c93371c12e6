/* Weak fields, as collections see them. With the world stopped, for each trace: clear what was not
 * reached, and once nothing more will be, let the fields follow. */
#ifndef SPGC_GC_WEAK_WEAK_FIELD_H
#define SPGC_GC_WEAK_WEAK_FIELD_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

void spgc_weak_fields_clear(const struct spgc_liveness *liveness);
void spgc_weak_fields_settle(const struct spgc_liveness *liveness);

/* For the verifier: the objects that have weak fields, and what these refer to. */
void spgc_weak_fields_visit(spgc_root_visitor visit, void *context);

/* The heap is about to end. */
void spgc_weak_fields_stop(void);

#endif
