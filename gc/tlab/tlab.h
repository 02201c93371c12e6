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

#include "gc/policy/limit.h"
#include "gc/tlab/sampler.h"
#include "heap/born_old.h"
#include "spgc/events.h"
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

/* For the memory of an object. */
struct spgc_request {
  size_t bytes;           /* as the next two, written by the caller */
  bool is_to_be_born_old; /* in a hole, if there is one */
  bool hook_runs;         /* the thread's out-of-memory hook, which may use the reserve */

  uintptr_t object; /* or 0 */
  bool is_refused, by_system;
  enum spgc_reason reason; /* if refused: of the collection that may help */
  bool from_reserve;
  size_t taken_blocks; /* by all tries */
};

/* At the cursor, in the next hole, or in a new block. A large object gets a run of blocks. */
void spgc_tlab_serve(struct spgc_tlab *tlab, struct spgc_reserve *reserve,
                     struct spgc_request *request);

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
