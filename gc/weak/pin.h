/* Pins, as collections see them: roots whose objects stay where they are. With the world stopped.
 */
#ifndef SPGC_GC_WEAK_PIN_H
#define SPGC_GC_WEAK_PIN_H

#include "gc/mutator/handles.h"
#include "gc/trace/liveness.h"

/* After condemning, before anything is forwarded. */
void spgc_pins_hold(const struct spgc_liveness *liveness);

/* In a marking: marks what is pinned, which is old. */
void spgc_pins_mark(const struct spgc_liveness *liveness);

/* When nothing reachable is condemned any more. */
void spgc_pins_release(const struct spgc_liveness *liveness);

/* Whether a young object may be pinned. */
bool spgc_pins_are_fresh(void);

/* For the verifier. */
void spgc_pins_visit(spgc_root_visitor visit, void *context);

/* The heap is about to end. */
void spgc_pins_stop(void);

#endif
