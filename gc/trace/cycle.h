/* The old space's cycle: marking and sweeping in steps. A thread of its own takes them while
 * mutators run, or mutators take them between allocations.
 *
 *   IDLE ----> MARKING ----> MARKED ----> SWEEPING ----> IDLE
 *    a minor    steps until   the next     steps, or a
 *    collection nothing       minor        block before
 *    begins it  waits         collection   it is read
 *                             ends it
 *
 * The pause that ends a marking is the *final mark*. A marking may be partial: objects found live
 * by the last marking count as live (gc/trace/mark.h). gc/policy/pacer.h decides when a cycle
 * begins, whether its marking is partial, and how large its steps are.
 *
 * A full collection abandons a cycle in progress and marks with the world stopped.
 *
 * The thread that holds the cycle owns the cycle's data: the marks, the marker, and the unswept
 * blocks. The holder is the cycle's own thread while it takes a step, a collection from before its
 * beginning to after its end, or a mutator that assists. The cycle's thread gives way after one
 * step, which takes well below a millisecond.
 *
 * While that thread marks, mutators write the fields of old objects and the spaces of blocks that
 * it reads, so both sides use relaxed atomic accesses. A field that changes after it was read is on
 * a dirty card (gc/trace/mark.h). */
#ifndef SPGC_GC_TRACE_CYCLE_H
#define SPGC_GC_TRACE_CYCLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gc/events/events.h"
#include "gc/trace/mark.h"

/* The size of a cycle's steps, and how its marking ends: gc/policy/pacer.h. */
struct spgc_pace {
  size_t mark_bytes;         /* marked for each byte allocated */
  size_t final_step_bytes;   /* marked by a step of a final mark, ... */
  size_t most_final_cards;   /* most deferred cards of a collection that promotes in place and
                                attempts one */
  size_t assist_blocks;      /* allocated before mutators assist for them together */
  uint32_t sweep_blocks;     /* swept for each block allocated */
  uint32_t decommit_blocks;  /* idle, decommitted for each block allocated */
  uint32_t final_steps;      /* ... which takes at most this many, ... */
  uint32_t most_final_tries; /* ... unless this many collections have tried */
};

/* The policies' decisions about the steps until the next collection. */
struct spgc_steps {
  bool mutators_assist; /* mutators take steps, because the old space would grow too much before the
                           thread has taken them */
  size_t idle_blocks;   /* the number to decommit; ... */
  size_t kept_idle;     /* ... and how many stay resident at least */
};

/* The thread that takes the cycle's steps while mutators run. */
struct spgc_cycle_thread {
  bool wanted; /* constant once the heap is started, but set to false if the system refuses the
                  thread. Under the lock */
  pthread_mutex_t lock;     /* held by the thread that holds the cycle */
  pthread_cond_t may_go_on; /* signalled when there are steps, and at the end */
  _Atomic uint32_t claims;  /* other threads that hold the cycle or wait for it. Written by them,
                               read by this thread */
  bool runs, ends;          /* under the lock */
  pthread_t thread;         /* while it runs */
};

struct spgc_cycle {
  struct spgc_cycle_thread thread;
  struct spgc_pace pace;        /* constant */
  pthread_mutex_t *blocks_lock; /* under which mutators take blocks; constant */

  /* Written by the thread that holds the cycle. Any thread may read `phase`. */
  enum spgc_cycle_phase phase; /* spgc/events.h */
  struct spgc_marker marker;

  /* Written by collections, with the world stopped, except `owed_blocks`. */
  struct spgc_steps steps; /* mutators also assist if the cycle has no thread. Each step that
                              decommits blocks reduces `idle_blocks` */
  size_t owed_blocks;      /* allocated since the last assist. Any mutator adds to it, atomically */
  uint32_t final_mark_tries; /* collections that found too much left for a final mark */
  size_t promoted_bytes;     /* since the last cycle's marking ended */
  size_t begun_bytes;        /* promoted_bytes when this cycle began, without the promotion of the
                                collection that began it */
  size_t live_bytes;         /* live or counted as live by the last marking */
  size_t full_marking_live_bytes; /* found live by the last full marking */
  size_t deferred_cards; /* since that marking ended. A card counts each time it is deferred */
};

/* The result of a marking. */
struct spgc_marking {
  bool partial;
  size_t believed_bytes; /* live by the previous marking */
  size_t live_bytes;     /* found or counted as live */
  size_t judged_bytes;   /* promoted since the previous marking */
  size_t survived_bytes; /* the live ones of judged_bytes; 0 after a full marking, which does not
                            distinguish them */
};

/* With a thread if `concurrent`, which starts when there are steps to take. Mutators take blocks
 * under `blocks_lock`. False if the system refuses memory. */
bool spgc_cycle_create(struct spgc_cycle *cycle, struct spgc_heap *heap, struct spgc_pace pace,
                       pthread_mutex_t *blocks_lock, bool concurrent);

/* Ends the thread, and waits for functions of listeners that it runs. With the world stopped and
 * not locked. */
void spgc_cycle_end_thread(struct spgc_cycle *cycle);
void spgc_cycle_destroy(struct spgc_cycle *cycle); /* the thread has ended */

/* A mutator took `blocks` to allocate in. If mutators assist, takes the steps that keep the cycle
 * ahead of allocation. The caller holds no lock, so that others can allocate. `thread` is its
 * number, for listeners. */
void spgc_cycle_assist(struct spgc_cycle *cycle, size_t blocks, uint64_t thread);

/* Waits until the cycle's thread has ended its step; then the caller holds the cycle. A thread must
 * not hold it twice. */
void spgc_cycle_hold(struct spgc_cycle *cycle);
void spgc_cycle_release(struct spgc_cycle *cycle);

/* Releases the cycle in the child of a process that forked while it was held. The cycle's thread
 * does not exist there; it is started again when there are steps. */
void spgc_cycle_release_in_child(struct spgc_cycle *cycle);

/* Only the thread that holds the cycle may call the functions below. */

/* At the end of a collection. */
void spgc_cycle_arrange_steps(struct spgc_cycle *cycle, struct spgc_steps steps);

/* With the world stopped. A partial marking requires kept marks. */
void spgc_cycle_begin(struct spgc_cycle *cycle, bool partial);

/* The marker of the cycle in progress, or NULL. */
static inline struct spgc_marker *spgc_cycle_marker(struct spgc_cycle *cycle) {
  return cycle->marker.active ? &cycle->marker : NULL;
}

/* Marks the rest and begins to sweep. The calling collection has visited roots and cards with the
 * marker. */
struct spgc_marking spgc_cycle_finish_marking(struct spgc_cycle *cycle, bool keeps_marks);

enum spgc_marking_end { SPGC_MARKING_ENDS, SPGC_MARKING_GOES_ON };

/* Whether a collection that copies the nursery should only look for young objects when it scans
 * dirty cards, and leave the cards deferred to the marking in progress or the next partial one.
 * Otherwise its scan also marks, as it must if it has to end the marking. */
bool spgc_cycle_leaves_cards(struct spgc_cycle *cycle, bool ends_marking);

/* Retires all dirty cards for a collection that leaves nothing young. The marking in progress, or
 * the next partial one, scans them. MARKING_ENDS if this collection should attempt a final mark. */
enum spgc_marking_end spgc_cycle_defer_cards(struct spgc_cycle *cycle);

/* Whether a final mark is due, so that the next collection should not wait for a full nursery. Any
 * thread. */
static inline bool spgc_cycle_waits(const struct spgc_cycle *cycle) {
  return __atomic_load_n(&cycle->phase, __ATOMIC_RELAXED) == SPGC_CYCLE_MARKED;
}

/* Attempts a final mark: marks the objects that this collection added, until about `deadline_ns` by
 * spgc_clock_ns. The phase was MARKED when the collection began. If too much is left, the marking
 * continues in steps. */
enum spgc_marking_end spgc_cycle_try_to_finish(struct spgc_cycle *cycle, uint64_t deadline_ns);

/* Sweeps every unswept block at once. Calls other workers if there are many. */
void spgc_sweep_all(struct spgc_heap *heap, const struct spgc_parallelism *parallelism);

/* Leaves the cycle idle and every block swept. A marking in progress is abandoned. */
void spgc_cycle_settle(struct spgc_cycle *cycle);

#endif
