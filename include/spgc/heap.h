/* The heap's life: options, start, stop, collection, statistics, verification.
 *
 * There is one heap in a process. Start it, attach threads (spgc/thread.h), run, detach them, stop
 * it.
 */
#ifndef SPGC_HEAP_H
#define SPGC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"
#include "spgc/stackwalk.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum spgc_stress {
  SPGC_STRESS_NONE,
  SPGC_STRESS_EVERY_ALLOCATION, /* collect at every allocation and every poll */
};

enum spgc_verify {
  SPGC_VERIFY_NONE,
  SPGC_VERIFY_FULL, /* check every object and reference before and after each collection; abort on a
                       contradiction */
};

enum spgc_move {
  SPGC_MOVE_DEFAULT,
  SPGC_MOVE_ALWAYS, /* every collection is full, moves every object that can move, in an order
                       shuffled by `seed` */
};

enum spgc_concurrent {
  SPGC_CONCURRENT_DEFAULT, /* on where more than one processor may run the process; off under stress
                              or with a seed */
  SPGC_CONCURRENT_OFF,     /* the old space is marked and swept by the threads that allocate */
  SPGC_CONCURRENT_ON, /* a thread of the collector does it while they run; they help when it falls
                         behind */
};

/* The old space may grow as far as the limit lets it. */
#define SPGC_GROWTH_TO_LIMIT UINT32_MAX

/* Each stop that a thread was waited for is in the log. */
#define SPGC_SLOW_STOP_ALWAYS UINT32_MAX

struct spgc_options {
  size_t
      heap_limit; /* bytes of blocks, copies made by a collection included: at least 2 MiB; 0: three
                     quarters of the machine's memory, or of what its control groups (cgroups(7))
                     admit, or half of what RLIMIT_DATA leaves; less if the system does not grant
                     the address space. The heap reserves many times the limit of that, but at most
                     half of what RLIMIT_AS leaves, and at least twice the limit */
  size_t nursery_size; /* bytes allocated between minor collections: at least 32 KiB, at most
                          heap_limit; 0: chosen by the library */
  enum spgc_stress stress;
  enum spgc_verify verify;
  enum spgc_move move;
  enum spgc_walk walk; /* spgc/stackwalk.h */
  enum spgc_concurrent concurrent;
  bool poison; /* fill vacated memory with a pattern and make it inaccessible until it is used again
                */
  bool log;    /* one line per collection on standard error, with its pause and the parts of that */
  uint64_t seed;    /* of whatever is randomised; 0: taken from the clock, and printed with `log` or
                       `move` */
  uint32_t threads; /* that share the work of a collection, the collecting one included: at most 16;
                       0: the CPUs available to the process, at most 4, and 1 under `stress` and
                       `move`. With more than one, the order of what moves depends on their timing,
                       too, not on `seed` alone */
  uint32_t growth;  /* percent of the live bytes by which the old space grows, and by 32 MiB at
                       least, before it is marked and swept, unless half of what the limit leaves
                       is less: up to 10000; 0: chosen by the library, 100; SPGC_GROWTH_TO_LIMIT:
                       only the limit counts, so that the heap is of a fixed size */
  uint32_t pause;   /* microseconds: a minor collection that would copy for longer keeps the nursery
                       where it is instead, unless the limit is near; 0: chosen by the library, and
                       none when `nursery_size` is not */
  uint32_t slow_stop; /* microseconds: with `log`, a stop of all threads that takes longer is in the
                         log, with the function and line that the last thread came from; 0: chosen
                         by the library, 10000; SPGC_SLOW_STOP_ALWAYS: every stop that had to wait
                         for a thread */
  uint32_t without;   /* mechanisms left out, so that the project measures their worth; 0: none */
};

/* The defaults, all documented above. Any thread, any state. */
void spgc_options_default(struct spgc_options *options);

/* Applies a comma-separated list such as
 * "stress=every-allocation,verify=full,poison=on,move=always,walk=differential,
 * limit=64m,nursery=4m,growth=100,pause=3000,seed=42,threads=2,concurrent=off,log=gc" on top of
 * what `options` holds. Sizes take k, m or g (powers of 1024). On error
 * (SPGC_ERROR_INVALID_ARGUMENT; position = byte offset into text) `options` is unchanged. Any
 * thread, any state. */
enum spgc_result spgc_options_parse(struct spgc_options *options, const char *text,
                                    struct spgc_error *error);

/* Reserves the heap. `options` may be NULL for the defaults; the environment variable SPGC_OPTIONS
 * is applied on top of either. Errors: SPGC_ERROR_STATE when started already,
 * SPGC_ERROR_INVALID_ARGUMENT, SPGC_ERROR_NO_MEMORY also when a limit that was asked for does not
 * fit half of the address space that RLIMIT_AS leaves. */
enum spgc_result spgc_start(const struct spgc_options *options, struct spgc_error *error);

/* Gives everything back. No thread may be attached (fatal otherwise). Does nothing when not
 * started. */
void spgc_stop(void);

enum spgc_collection {
  SPGC_COLLECTION_MINOR, /* the nursery; may also end a marking of the old space that went on
                            between allocations */
  SPGC_COLLECTION_FULL,  /* everything; old objects in densely used memory stay where they are */
};

/* Collects now. When the system refuses memory for the copies, either kind collects everything and
 * moves little or nothing. A safepoint. Attached threads only. */
void spgc_collect(enum spgc_collection kind);

/* What a full, untrusting read of the heap found. `error` (may be NULL) names the first
 * contradiction: object, field, what is wrong. Attached threads only; a safepoint while other
 * threads are attached. Returns true when the heap is consistent. */
bool spgc_heap_verify(struct spgc_error *error);

/* Sums since spgc_start, unless it says otherwise. collections == minor_collections + final_marks +
 * full_collections. */
struct spgc_statistics {
  uint64_t collections;
  uint64_t minor_collections; /* of the nursery alone */
  uint64_t final_marks;       /* minor ones that also ended a concurrent marking of the old space */
  uint64_t full_collections;  /* the world was stopped and everything collected */
  uint64_t partial_markings;  /* ended by final marks: objects with a mark of the marking before
                                 counted as live */
  uint64_t in_place_collections; /* full ones without copies, because the system refused memory for
                                    them */
  uint64_t aborted_minor_collections; /* copying passed its deadline: rolled back, and the nursery
                                         promoted in place */
  uint64_t allocated_bytes;           /* by all threads */
  uint64_t moved_objects;
  uint64_t moved_bytes;
  uint64_t frames_walked;       /* managed frames */
  uint64_t roots_in_slots;      /* distinct base locations visited in stack slots */
  uint64_t roots_in_registers;  /* the same in saved callee-saved registers */
  uint64_t registers_rewritten; /* saved registers (base or derived) whose value changed because its
                                   object moved */
  uint64_t heap_bytes;          /* of blocks in use now */
  uint64_t peak_heap_bytes;     /* the most there ever were at once */
  uint64_t live_bytes; /* found live by the last final mark or full collection; some may have died
                          since */
  uint64_t total_pause_ns;         /* pauses: from when all threads were stopped until they go on */
  uint64_t longest_pause_ns;       /* of any collection */
  uint64_t longest_minor_pause_ns; /* of a minor collection that was no final mark */
  uint64_t longest_final_mark_ns;
  uint64_t longest_stop_ns; /* from the request until all threads are at safepoints; no pause
                               includes it */
};

/* Attached threads only, not a safepoint. */
void spgc_statistics_read(struct spgc_statistics *statistics);

/* Called when a request cannot be met although everything was collected. The heap lets a reserve of
 * the calling thread's own (at least 64 KiB) be used while the hook runs, so that it may allocate
 * what its report needs. What the hook leaves reachable is missing in that reserve until as much
 * memory is free again. It may leave by spgc_leave (spgc/protect.h), or by unwinding; the handler
 * must then restore its handle scope (spgc/handle.h). If it returns, an allocation made by C
 * returns null and one made by generated code ends the process with a message. NULL removes it. Any
 * thread. */
typedef void (*spgc_out_of_memory_hook)(void *context, size_t requested_bytes);
void spgc_set_out_of_memory_hook(spgc_out_of_memory_hook hook, void *context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
