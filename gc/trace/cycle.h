/* The old space's cycle: marking and sweeping in steps, by its own thread or by mutators between
 * allocations (docs/collections.md, "The cycle of the old space"). A full collection abandons it.
 *
 * The thread that holds the cycle, with its workers, owns its data: marks, marker, and unswept
 * blocks. It is the cycle's own thread during a step, a collecting thread, or a mutator that
 * assists.
 *
 * Meanwhile mutators write fields and spaces that it reads, so both sides use relaxed atomic
 * accesses. A field that changes later is on a dirty card. */
#ifndef SPGC_GC_TRACE_CYCLE_H
#define SPGC_GC_TRACE_CYCLE_H

#include <pthread.h>
#include <stdatomic.h>

#include "gc/events/events.h"
#include "gc/trace/mark.h"

struct spgc_pace {
  size_t work;             /* bytes marked, or blocks swept or decommitted, for each allocated */
  size_t most_final_cards; /* deferred, for a final mark after promotion in place */
  size_t assist_work;      /* the least blocks that a mutator marks, sweeps or decommits at once */
  uint32_t final_steps;    /* most in a final mark */
  uint32_t most_final_tries; /* after which a collection ends the marking anyway */
};

/* Decided by the policies, until the next collection. */
struct spgc_steps {
  size_t assist_pace; /* of mutators: at least `work`, or 0 if the thread is fast enough */
  size_t idle_blocks; /* to decommit */
  size_t kept_idle;   /* at least; resident */
};

/* Takes the cycle's steps while mutators run. */
struct spgc_cycle_thread {
  bool wanted;              /* false if the system refuses the thread. Under the lock */
  pthread_mutex_t lock;     /* held by who holds the cycle */
  pthread_cond_t may_go_on; /* signalled when there are steps, and at the end */
  _Atomic uint32_t claims;  /* other threads that hold the cycle or wait for it; written by them */
  bool runs, ends;
  pthread_t thread; /* if `runs` */
};

struct spgc_cycle {
  struct spgc_cycle_thread thread;
  struct spgc_pace pace;
  pthread_mutex_t *blocks_lock; /* under which mutators take blocks; constant */

  /* Written by the holder of the cycle. Any thread may read `phase`. */
  enum spgc_cycle_phase phase;
  struct spgc_marker marker;

  /* Written by collections, with the world stopped; owed_blocks and steps.idle_blocks by others. */
  struct spgc_steps steps;        /* mutators also assist if the cycle has no thread */
  size_t owed_blocks;             /* allocated, and not assisted for. Mutators add atomically */
  uint32_t final_mark_tries;      /* that found too much left */
  size_t promoted_bytes;          /* since the last cycle's marking ended */
  size_t begun_bytes;             /* promoted_bytes when this cycle had begun */
  size_t live_bytes;              /* found or counted as live by the last marking */
  size_t full_marking_live_bytes; /* found by the last full marking */
  size_t deferred_cards;          /* since that marking; a card counts each time */
};

struct spgc_marking {
  bool partial;
  size_t believed_bytes; /* live by the previous marking */
  size_t live_bytes;     /* found or counted */
  size_t judged_bytes;   /* promoted since the previous marking */
  size_t survived_bytes; /* of judged_bytes; 0 after a full marking, which knows none */
};

/* If `concurrent`, a thread starts when there are steps. Mutators take blocks under `blocks_lock`.
 * False if the system refuses memory. */
bool spgc_cycle_create(struct spgc_cycle *cycle, struct spgc_heap *heap, struct spgc_pace pace,
                       pthread_mutex_t *blocks_lock, bool concurrent);

/* Waits for listeners' functions that it runs. The world is stopped and not locked. */
void spgc_cycle_end_thread(struct spgc_cycle *cycle);
void spgc_cycle_destroy(struct spgc_cycle *cycle);

/* If mutators assist, keeps the cycle ahead of allocation. The caller, whose number is `thread`,
 * holds no lock. */
void spgc_cycle_assist(struct spgc_cycle *cycle, size_t blocks, uint64_t thread);

/* Waits for the end of the cycle thread's step. Not recursive. Returns the cycle. */
static inline struct spgc_cycle *spgc_cycle_hold(struct spgc_cycle *cycle) {
  atomic_fetch_add_explicit(&cycle->thread.claims, 1, memory_order_relaxed);
  pthread_mutex_lock(&cycle->thread.lock);
  return cycle;
}

void spgc_cycle_release(struct spgc_cycle *cycle);

static inline void spgc_cycle_release_at_end(struct spgc_cycle *const *cycle) {
  spgc_cycle_release(*cycle);
}

/* To the end of the block, even if an exception leaves it. */
#define SPGC_CYCLE_HELD(cycle)                                                                     \
  __attribute__((cleanup(spgc_cycle_release_at_end))) struct spgc_cycle *const held_here =         \
      spgc_cycle_hold(cycle)

/* After a fork with the cycle held. */
void spgc_cycle_release_in_child(struct spgc_cycle *cycle);

/* Only the holder of the cycle calls the functions below. */

/* Called at the end of a collection. */
void spgc_cycle_arrange_steps(struct spgc_cycle *cycle, struct spgc_steps steps);

/* The world is stopped. A partial marking requires kept marks. */
void spgc_cycle_begin(struct spgc_cycle *cycle, bool partial);

/* Marks the rest and begins to sweep. The marker has visited roots and cards. */
struct spgc_marking spgc_cycle_finish_marking(struct spgc_cycle *cycle, bool keeps_marks);

enum spgc_marking_end { SPGC_MARKING_ENDS, SPGC_MARKING_GOES_ON };

/* Whether a collection that copies the nursery scans dirty cards only for young objects, and leaves
 * them to the marking in progress or the next partial one. Otherwise the scan marks. */
bool spgc_cycle_leaves_cards(struct spgc_cycle *cycle, bool ends_marking);

/* Nothing is young: the marking in progress, or the next partial one, scans the dirty cards.
 * MARKING_ENDS if this collection should attempt a final mark. */
enum spgc_marking_end spgc_cycle_defer_cards(struct spgc_cycle *cycle);

/* A final mark is due. Any thread. */
static inline bool spgc_cycle_waits(const struct spgc_cycle *cycle) {
  return __atomic_load_n(&cycle->phase, __ATOMIC_RELAXED) == SPGC_CYCLE_MARKED;
}

/* Marks what this collection added, until about `deadline_ns` by spgc_clock_ns. If too much is
 * left, the steps go on. */
enum spgc_marking_end spgc_cycle_try_to_finish(struct spgc_cycle *cycle, uint64_t deadline_ns);

void spgc_sweep_all(struct spgc_heap *heap, const struct spgc_parallelism *parallelism);

/* Leaves the cycle idle and every block swept; abandons a marking. */
void spgc_cycle_settle(struct spgc_cycle *cycle);

#endif
