/* TLABs: what a thread allocates from by moving a cursor, which is one nursery block or a hole of
 * an old block.
 *
 * Invariants of a TLAB that is open:
 *   thread->cursor is the end of its objects. After publishing, the block's `top` is equal, or the
 *   rest of the hole is a filler;
 *   thread->limit is a soft limit, at most SPGC_LARGEST_SMALL beyond the cursor when it was set,
 *   and never beyond `end`.
 * The soft limit keeps generated code from putting objects into the TLAB that should be large ones,
 * and sends it to the slow path for objects that are sampled (gc/tlab/sampler.h). It is 0 under
 * stress, and while the thread is in spgc_call_blocking. Without a TLAB, cursor and both limits are
 * 0.
 *
 * Functions without a lock in their comment are called by the TLAB's own thread, or with the world
 * stopped.
 */
#ifndef SPGC_GC_TLAB_TLAB_H
#define SPGC_GC_TLAB_TLAB_H

#include <stdbool.h>

#include "gc/tlab/sampler.h"
#include "heap/born_old.h"
#include "spgc/thread.h"

/* Written by its own thread, or with the world stopped. */
struct spgc_tlab {
  struct spgc_thread *thread;    /* constant */
  uint32_t block;                /* of the nursery, or SPGC_BLOCK_NONE */
  uintptr_t end;                 /* of the block or hole */
  struct spgc_born_old born_old; /* blocks whose holes are its TLABs */
  size_t born_old_bytes; /* objects in closed holes, not yet in the statistics. Others read it under
                            the heap lock */
  struct spgc_sampler sampler;
};

/* For the calling thread, which attaches. */
void spgc_tlab_create(struct spgc_tlab *tlab);

/* Opens nursery block `index` instead. Under the heap lock. */
void spgc_tlab_open_block(struct spgc_tlab *tlab, uint32_t index);

/* Opens the next hole of at least `bytes` instead, and allocates them. Returns 0, with no TLAB
 * open, if the blocks that were taken (heap/born_old.h) have no such hole. Takes the heap lock only
 * to retire a block. */
uintptr_t spgc_tlab_allocate_in_hole(struct spgc_tlab *tlab, size_t bytes);

/* Beyond the soft limit, which it raises. Returns 0 if the TLAB does not have the bytes. */
uintptr_t spgc_tlab_allocate(struct spgc_tlab *tlab, size_t bytes);

/* Sets thread->limit again: SPGC_LARGEST_SMALL beyond the cursor, or where the TLAB ends or the
 * next sample is due. */
void spgc_tlab_raise_limit(struct spgc_tlab *tlab);

/* Makes the TLAB's objects walkable. */
void spgc_tlab_publish(struct spgc_tlab *tlab);

/* Publishes and closes the TLAB, and counts its bytes. Under the heap lock, or with the world
 * stopped. */
void spgc_tlab_retire(struct spgc_tlab *tlab);

/* Also returns the blocks with holes. The caller also holds the cycle. */
void spgc_tlab_retire_all(struct spgc_tlab *tlab);

/* For a thread that does not exist, in a forked child. The TLAB was published. */
void spgc_tlab_forget(struct spgc_tlab *tlab);

/* Takes the heap lock. */
void spgc_tlab_drop(struct spgc_tlab *tlab);

/* Not in the statistics yet. */
struct spgc_uncounted {
  size_t allocated, born_old; /* the second are among the first */
};

/* For another thread, under the heap lock. They may be too few. */
struct spgc_uncounted spgc_tlab_uncounted(const struct spgc_tlab *tlab);

/* After spgc_samplers_begin, with the world stopped. */
void spgc_tlab_change_sampler(struct spgc_tlab *tlab);

#endif
