/* A thread allocates by moving a cursor through a nursery block or a hole of an old one.
 *
 * Invariants of an open TLAB:
 *   thread->cursor is the end of its objects. After publishing, the block's `top` is equal, or the
 *   rest of the hole is a filler;
 *   thread->limit is a soft limit, at most SPGC_LARGEST_SMALL beyond the cursor when it was set,
 * and never beyond `end`. It keeps generated code's large objects out, and sends sampled ones to
 * the slow path. It is 0 under stress and in spgc_call_blocking.
 *
 * Without a TLAB, cursor and limits are 0. Functions are called by the TLAB's thread, or with the
 * world stopped, unless they name a lock. */
#ifndef SPGC_GC_TLAB_TLAB_H
#define SPGC_GC_TLAB_TLAB_H

#include <stdbool.h>

#include "gc/tlab/sampler.h"
#include "heap/born_old.h"
#include "spgc/thread.h"

/* Written by its own thread, or with the world stopped. */
struct spgc_tlab {
  struct spgc_thread *thread;
  uint32_t block; /* or SPGC_BLOCK_NONE */
  uintptr_t end;
  struct spgc_born_old born_old; /* its holes are TLABs */
  size_t born_old_bytes; /* in closed holes, uncounted. Others read it under the heap lock */
  struct spgc_sampler sampler;
};

/* The calling thread attaches. */
void spgc_tlab_create(struct spgc_tlab *tlab);

/* Needs the heap lock. */
uintptr_t spgc_tlab_allocate_in_block(struct spgc_tlab *tlab, uint32_t index, size_t bytes);

/* Returns 0, without a TLAB, if the taken blocks have no hole of `bytes`. Takes the heap lock only
 * to retire a block. */
uintptr_t spgc_tlab_allocate_in_hole(struct spgc_tlab *tlab, size_t bytes);

/* Raises the soft limit. Returns 0 if there is too little space. */
uintptr_t spgc_tlab_allocate(struct spgc_tlab *tlab, size_t bytes);

void spgc_tlab_raise_limit(struct spgc_tlab *tlab);

/* Makes its objects walkable. */
void spgc_tlab_publish(struct spgc_tlab *tlab);

/* Publishes, closes and counts. Needs the heap lock, or the world stopped. */
void spgc_tlab_retire(struct spgc_tlab *tlab);

/* Also returns the blocks with holes. The caller also holds the cycle. */
void spgc_tlab_retire_all(struct spgc_tlab *tlab);

/* It was retired. */
void spgc_tlab_return_blocks(struct spgc_tlab *tlab);

/* Takes the heap lock. */
void spgc_tlab_drop(struct spgc_tlab *tlab);

/* Not in the statistics yet. */
struct spgc_uncounted {
  size_t allocated, born_old;
};

/* For another thread, under the heap lock. The result may be too low. */
struct spgc_uncounted spgc_tlab_uncounted(const struct spgc_tlab *tlab);

/* After spgc_samplers_begin, with the world stopped. */
void spgc_tlab_change_sampler(struct spgc_tlab *tlab);

#endif
