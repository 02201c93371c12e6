/* The old space's cycle: marking and sweeping in steps between allocations.
 *
 *   IDLE ----> MARKING ----> MARKED ----> SWEEPING ----> IDLE
 *    a minor    steps until   the next     steps, or a
 *    collection nothing       minor        block before
 *    begins it  waits         collection   it is read
 *                             ends it
 *
 * A full collection goes through all of it with the world stopped, and abandons a cycle under way.
 */
#ifndef SPGC_GC_CYCLE_H
#define SPGC_GC_CYCLE_H

#include "heap/mark.h"

enum spgc_phase {
  SPGC_PHASE_IDLE,
  SPGC_PHASE_MARKING,
  SPGC_PHASE_MARKED, /* nothing waits to be scanned since the last collection */
  SPGC_PHASE_SWEEPING,
};

/* Written by the collecting thread. */
struct spgc_cycle {
  enum spgc_phase phase;
  struct spgc_marker marker;
  size_t promoted_bytes; /* since the last cycle's marking ended */
  size_t live_bytes;     /* what that marking found */
};

/* False when the system refuses. */
bool spgc_cycle_create(struct spgc_cycle *cycle, struct spgc_heap *heap);
void spgc_cycle_destroy(struct spgc_cycle *cycle);

/* A mutator took `blocks` to allocate in: does the share of work that keeps the cycle ahead of allocation. */
void spgc_cycle_step(struct spgc_cycle *cycle, size_t blocks);

void spgc_cycle_begin(struct spgc_cycle *cycle);

/* The marker of the cycle under way, or NULL. */
struct spgc_marker *spgc_cycle_marker(struct spgc_cycle *cycle);

/* In a collection that has visited roots and cards with the marker: marks the rest and begins to sweep. */
void spgc_cycle_finish_marking(struct spgc_cycle *cycle);

/* Leaves the cycle idle and everything swept; a marking under way is forgotten. */
void spgc_cycle_settle(struct spgc_cycle *cycle);

#endif
