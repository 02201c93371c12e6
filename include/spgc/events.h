/* Events: callbacks that report the collector's actions and their reasons.
 *
 * A listener is a table of callbacks. The library calls those that are set, when SPGC_EVENTS says.
 * An event without a listener costs a load and a branch. The library's own log and trace are
 * listeners too. Where the system has <sys/sdt.h>, each event is also a USDT probe for perf or
 * bpftrace (provider `spgc`, the event's name, one argument: its address).
 *
 * Rules for callbacks, unless the event says otherwise:
 *   - They run on the thread that the event is about, inside the collector. They must not reach a
 *     safepoint: allocate objects, collect, poll, attach or detach threads, call spgc_call_blocking
 *     or fork. Such a call ends the process with a message, at the latest where it would have
 *     stopped. Heap snapshots and allocation profiles are refused with SPGC_ERROR_STATE.
 *   - They have 128 KiB of stack on the collector's threads; on others what is left, which may be
 *     very little on a small fiber.
 *   - They run with cancellation disabled, so they may write.
 *   - They may call the library's other functions that are documented with "any state".
 *   - They must not leave by an exception, longjmp or spgc_leave, nor take locks that other threads
 *     hold while they are at a safepoint, attach, detach, or start or stop the heap. They may take
 *     locks that fork takes (spgc/fork.h).
 *   - "In the pause" means that the world is stopped, and the pause grows by the time they take.
 *   - Several threads may run callbacks at the same time, except in the pause.
 *   - The event is valid until the callback returns.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC. Threads are numbered from 1 in the order of attachment
 * since spgc_start; 0 stands for the collector's own. */
#ifndef SPGC_EVENTS_H
#define SPGC_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/heap.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Why a collection ran. Later releases may add reasons. */
enum spgc_reason {
  SPGC_REASON_NURSERY, /* the nursery is full */
  SPGC_REASON_LARGE,   /* a large object does not fit the rest of the nursery */
  SPGC_REASON_MARKING, /* a concurrent marking waits for its final mark */
  SPGC_REASON_LIMIT,   /* the limit or the system refused memory for an object */
  SPGC_REASON_RESERVE, /* a thread attaches and needs a reserve for its out-of-memory hook */
  SPGC_REASON_CALL,    /* spgc_collect */
  SPGC_REASON_MODULE,  /* spgc_types_count */
  SPGC_REASON_STRESS,  /* the option `stress` */
};

/* Later releases may add outcomes. */
enum spgc_outcome {
  SPGC_COLLECTED_MINOR,      /* the nursery only */
  SPGC_COLLECTED_FINAL_MARK, /* the nursery, at the end of a concurrent marking */
  SPGC_COLLECTED_FULL,       /* everything, with the world stopped */
  SPGC_COLLECTED_IN_PLACE,   /* everything, without room to copy more than a little */
};

/* Later releases may add outcomes. */
enum spgc_nursery_outcome {
  SPGC_NURSERY_COPIED,   /* survivors were copied */
  SPGC_NURSERY_PROMOTED, /* promoted in place */
};

/* The parts of a pause. Each moment from the request to the pause's end belongs to one. Later
 * releases may add parts, below SPGC_PAUSE_PART_PLACES. */
enum spgc_pause_part {
  SPGC_PAUSE_STOP,    /* waiting until the last mutator is at a safepoint */
  SPGC_PAUSE_HOLD,    /* waiting until the cycle's thread has ended its step */
  SPGC_PAUSE_PREPARE, /* getting blocks for copies; beginning a marking */
  SPGC_PAUSE_PROMOTE, /* in-place promotion */
  SPGC_PAUSE_ROOTS,
  SPGC_PAUSE_CARDS,  /* scanning old objects for references to young or condemned ones */
  SPGC_PAUSE_COPY,   /* copying survivors */
  SPGC_PAUSE_WEAK,   /* weak processing */
  SPGC_PAUSE_FREE,   /* freeing condemned blocks; in a full collection, sweeping */
  SPGC_PAUSE_MARK,   /* marking beyond roots and cards */
  SPGC_PAUSE_POLICY, /* the policies' decisions; decommitting memory */
  SPGC_PAUSE_VERIFY,
};

/* The length of arrays of times by part. Unused entries are 0. */
enum { SPGC_PAUSE_PART_PLACES = 16 };

/* Their names in the log; "unknown" for others. Constant texts. Any thread, any state. */
const char *spgc_reason_name(enum spgc_reason reason);
const char *spgc_pause_part_name(enum spgc_pause_part part);

/* When the heap was last started, on the events' clock; the log counts from here. Any thread, any
 * state, while the heap is started. */
uint64_t spgc_started_ns(void);

/* The world has been stopped, for a collection or another purpose. */
struct spgc_world_stopped_event {
  uint64_t asked_ns;   /* when the threads were asked to stop */
  uint64_t stopped_ns; /* when the last one had stopped */
  uint64_t thread;  /* the one that stopped the world; 0: one that forks, or writes a snapshot or a
                       profile, without being attached, or in a blocking region */
  uint64_t threads; /* number of attached threads */
};

/* How long a thread took to stop: one event for each that ran at the request. */
struct spgc_thread_stopped_event {
  uint64_t thread;
  uint64_t asked_ns;
  uint64_t arrived_ns; /* when it reached a safepoint */
};

/* The threads may resume. */
struct spgc_world_resumed_event {
  uint64_t stopped_ns;
  uint64_t resumed_ns;
  uint64_t thread; /* as in the stop's event */
};

/* A thread runs again after a stop that it waited for. */
struct spgc_thread_waited_event {
  uint64_t thread;
  uint64_t begin_ns, end_ns;
};

/* A collection begins. */
struct spgc_collection_begin_event {
  uint64_t number; /* counted from 1 */
  uint64_t thread;
  uint64_t asked_ns, stopped_ns;
  enum spgc_reason reason;
  enum spgc_collection kind; /* the requested kind */
  uint64_t heap_bytes;       /* bytes of blocks in use */
};

/* A part of a pause has ended. It may occur several times in one collection. */
struct spgc_pause_part_event {
  uint64_t number;
  enum spgc_pause_part part;
  uint64_t begin_ns, end_ns;
};

/* A collection has ended. Equation: the sum of part_ns == end_ns - begin_ns + stop_ns. */
struct spgc_collection_end_event {
  uint64_t number;
  uint64_t thread;
  uint64_t begin_ns, end_ns; /* the pause */
  uint64_t stop_ns;          /* the stop before it */
  enum spgc_reason reason;
  enum spgc_outcome outcome;
  enum spgc_nursery_outcome nursery;
  bool partial;
  uint64_t heap_bytes_before; /* bytes of blocks in use */
  uint64_t heap_bytes;
  uint64_t nursery_bytes; /* bytes of small objects in the nursery */
  uint64_t old_bytes;     /* bytes of old blocks after the collection */
  uint64_t live_bytes;    /* found live by the last final mark or full collection */
  uint64_t moved_objects, moved_bytes;
  uint64_t promoted_bytes;  /* bytes that became old: copied, pinned, or promoted in place */
  uint64_t allocated_bytes; /* the sum of all threads since spgc_start */
  uint64_t born_old_bytes;  /* the part of allocated_bytes that was allocated in the old space */
  uint64_t frames;          /* managed frames that were visited */
  uint64_t roots_in_slots, roots_in_registers, registers_rewritten; /* as in spgc_statistics */
  uint64_t part_ns[SPGC_PAUSE_PART_PLACES];
  const char *plan; /* the decision and its reason, as in the log; constant text */
  const char *nursery_plan, *marking_plan; /* likewise for the nursery and for the marking; NULL if
                                              everything was collected */
};

/* A size that the collector chooses has changed. */
struct spgc_resized_event {
  uint64_t from_bytes, to_bytes;
  uint64_t ns;
};

/* A thread was attached, or is being detached. */
struct spgc_thread_event {
  uint64_t thread;
  uint64_t ns;
  int64_t system_thread; /* its thread ID (gettid(2)) */
};

/* A thread has left a blocking region (spgc_call_blocking). */
struct spgc_blocking_event {
  uint64_t thread;
  uint64_t begin_ns, end_ns;
};

/* Later releases may add causes. */
enum spgc_refusal {
  SPGC_REFUSED_BY_LIMIT,
  SPGC_REFUSED_BY_SYSTEM,
};

/* Blocks were refused. */
struct spgc_blocks_refused_event {
  uint64_t bytes;
  enum spgc_refusal by;
  bool for_copies; /* for a collection, which then works in place; false: for an allocation */
  uint64_t ns;
};

/* A collection has queued finalizers. */
struct spgc_finalizers_queued_event {
  uint64_t number;
  uint64_t queued;  /* objects queued by this collection */
  uint64_t waiting; /* objects in the queue now */
  uint64_t ns;
};

/* Later releases may add phases. */
enum spgc_cycle_phase {
  SPGC_CYCLE_IDLE,     /* until the next marking */
  SPGC_CYCLE_MARKING,  /* marking while the program runs */
  SPGC_CYCLE_MARKED,   /* nothing is left to mark; a collection makes the final mark */
  SPGC_CYCLE_SWEEPING, /* sweeping while the program runs */
};

/* The cycle of the old space has entered a phase. */
struct spgc_cycle_event {
  enum spgc_cycle_phase phase;
  uint64_t ns;
  bool partial; /* the marking is partial */
};

/* A step of the cycle, taken while the program runs. */
struct spgc_cycle_step_event {
  enum spgc_cycle_phase
      phase;       /* in a phase other than marking and sweeping the step returns idle pages */
  uint64_t thread; /* 0: the collector's thread; otherwise an assisting mutator */
  uint64_t begin_ns, end_ns;
};

/* A thread of the worker pool has taken part in a collection, or in a mutator's marking. */
struct spgc_worker_event {
  uint32_t worker; /* counted from 1; worker 0 is the collecting or assisting thread */
  uint64_t begin_ns, end_ns;
};

/* Memory is exhausted, as for the out-of-memory hook (spgc/heap.h), which is called next. Unlike
 * other callbacks, these may do everything that the hook may: reach safepoints, allocate from the
 * reserve, and leave; then later listeners and the hook are not called. Cancellation is as the
 * program has set it. If memory runs out again in such a callback, no event is sent. */
struct spgc_out_of_memory_event {
  uint64_t thread;
  uint64_t requested_bytes;
  uint64_t ns;
  uint64_t futile_collections; /* consecutive ones (the option `overhead`); 0: the limit or the
                                  system refused memory */
};

/* X(name, structure, when and on which thread it is sent) */
#define SPGC_EVENTS(X)                                                                             \
  X(world_stopped, spgc_world_stopped_event, "in the pause, first")                                \
  X(thread_stopped, spgc_thread_stopped_event,                                                     \
    "in the pause, on the thread that stopped the world")                                          \
  X(world_resumed, spgc_world_resumed_event,                                                       \
    "after the stop, on the thread that had stopped the world")                                    \
  X(thread_waited, spgc_thread_waited_event, "when the thread runs again")                         \
  X(collection_begin, spgc_collection_begin_event, "in the pause")                                 \
  X(pause_part, spgc_pause_part_event, "in the pause")                                             \
  X(collection_end, spgc_collection_end_event, "in the pause, last")                               \
  X(nursery_resized, spgc_resized_event,                                                           \
    "in the pause: bytes allocated until the next minor collection")                               \
  X(target_resized, spgc_resized_event,                                                            \
    "in the pause: bytes of the old space at which the next marking begins")                       \
  X(thread_attached, spgc_thread_event, "at the end of spgc_thread_attach")                        \
  X(thread_detached, spgc_thread_event, "before the thread is detached")                           \
  X(blocking, spgc_blocking_event, "when the thread runs again")                                   \
  X(blocks_refused, spgc_blocks_refused_event,                                                     \
    "on the allocating thread; for copies, in the pause")                                          \
  X(finalizers_queued, spgc_finalizers_queued_event, "in the pause")                               \
  X(cycle, spgc_cycle_event, "in the pause, or on the thread that took the last step")             \
  X(cycle_step, spgc_cycle_step_event, "on the thread that took the step")                         \
  X(worker, spgc_worker_event, "in the pause or the step, on a thread of the pool")                \
  X(out_of_memory, spgc_out_of_memory_event,                                                       \
    "before the hook, on the thread that allocates; listeners may do what the hook may")

/* Begin with `{.size = sizeof(struct spgc_listener)}`. Later releases add members at the end
 * (docs/abi.md). */
struct spgc_listener {
  size_t size;                /* of the caller's structure, in bytes */
  struct spgc_listener *next; /* written by the library */
  void *context;              /* passed to each callback */
#define SPGC_EVENT(name, type, when) void (*name)(void *context, const struct type *event);
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
};

/* Adds a listener, which the caller owns and must not change until it is removed. In a started
 * heap, it may get an end event without its begin event. Any thread, any state. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT for a size that no release has; SPGC_ERROR_STATE if it was added
 * before. */
enum spgc_result spgc_listener_add(struct spgc_listener *listener, struct spgc_error *error);

/* Removes a listener, which the caller may then free. Waits until no thread runs a callback, so the
 * caller must hold no lock that callbacks take. Any thread. Errors: SPGC_ERROR_STATE if the heap is
 * started, because attached threads may be about to call the listener; if the listener was not
 * added; or in a callback. */
enum spgc_result spgc_listener_remove(struct spgc_listener *listener, struct spgc_error *error);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
