/* Roots whose objects must not move. The world is stopped. */
#ifndef SPGC_GC_WEAK_PIN_H
#define SPGC_GC_WEAK_PIN_H

#include "gc/mutator/handles.h"
#include "gc/trace/evacuate.h"

/* Called after condemning, before anything is forwarded. */
void spgc_pins_hold(struct spgc_evacuation *evacuation, const struct spgc_liveness *liveness);

/* Called before a relocation is planned. */
void spgc_pins_spare_blocks(struct spgc_heap *heap);

/* Nothing is young. */
void spgc_pins_mark(const struct spgc_liveness *liveness);

/* No reachable object is condemned. `marker` belongs to a marking in progress, or is NULL. */
void spgc_pins_release(struct spgc_heap *heap, struct spgc_marker *marker);

bool spgc_pins_exist(void);
void spgc_pins_visit(spgc_root_visitor visit, void *context);

#endif
