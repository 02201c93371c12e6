/* The heap: options, start, stop, collection, statistics, verification.
 *
 * A process has one heap. Start it, attach threads (spgc/thread.h), run, detach them, stop it. */
#ifndef SPGC_HEAP_H
#define SPGC_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/histogram.h"
#include "spgc/result.h"
#include "spgc/stackwalk.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* When to collect in addition to when memory is needed. */
enum spgc_stress {
  SPGC_STRESS_NONE,
  SPGC_STRESS_EVERY_ALLOCATION, /* collect at every allocation and every poll */
  /* The next two count the allocations of all threads, except those that the optimiser deletes, and
   * do not collect at polls. */
  SPGC_STRESS_EVERY_NTH_ALLOCATION, /* at each allocation whose number is a multiple of
                                       `stress_interval` */
  SPGC_STRESS_RANDOM,               /* with `stress_probability`; the same ones for one `seed` */
};

/* How much to check at each collection. */
enum spgc_verify {
  SPGC_VERIFY_NONE,
  SPGC_VERIFY_FULL, /* every object and reference, before and after each collection; abort on a
                       contradiction */
};

/* Which objects a collection moves. */
enum spgc_move {
  SPGC_MOVE_DEFAULT,
  SPGC_MOVE_ALWAYS, /* every collection is full and moves every object that can move, in an order
                       shuffled by `seed` */
};

/* Where small objects are allocated while no marking runs. */
enum spgc_born {
  SPGC_BORN_DEFAULT, /* in the nursery; in holes of the old space while most objects survive */
  SPGC_BORN_OLD,     /* in the old space, so that only a marking finds garbage. For tests */
  SPGC_BORN_RANDOM,  /* in either, chosen by `seed` for each TLAB. For tests */
};

/* Whether the collection that ends a marking also evacuates sparse blocks. */
enum spgc_compact {
  SPGC_COMPACT_DEFAULT, /* if much of the old space is unused: as many blocks as a pause of about a
                           millisecond allows */
  SPGC_COMPACT_OFF,
  SPGC_COMPACT_ALWAYS, /* all blocks with unused memory, over several cycles. For tests */
};

/* Which threads mark and sweep the old space. */
enum spgc_concurrent {
  SPGC_CONCURRENT_DEFAULT, /* on if more than one CPU is available (docs/tuning.md); off under
                              stress or with a seed */
  SPGC_CONCURRENT_OFF,     /* the threads that allocate */
  SPGC_CONCURRENT_ON, /* a collector thread; threads that allocate assist when it falls behind */
};

/* Each level includes those before it. */
enum spgc_log_level {
  SPGC_LOG_NONE,
  SPGC_LOG_SUMMARY, /* the limit and its origin; a summary when the heap is stopped or the process
                       exits */
  SPGC_LOG_GC,      /* a line per collection: reason, pause and its parts; slow stops */
  SPGC_LOG_ALL,     /* a line per event: sizes, threads, refused memory, phases of the cycle */
};

/* Extreme values of the options `growth`, `slow_stop_us`, `overhead` and `hang_us`. */
#define SPGC_GROWTH_TO_LIMIT UINT32_MAX
#define SPGC_SLOW_STOP_ALWAYS UINT32_MAX
#define SPGC_OVERHEAD_OFF UINT32_MAX
#define SPGC_HANG_OFF UINT32_MAX

/* The options of spgc_start (docs/tuning.md). Begin with spgc_options_default, or with `{.size =
 * sizeof(struct spgc_options), ...}`: 0 is the default of all others. Later releases add members at
 * the end (docs/abi.md). */
struct spgc_options {
  size_t size; /* of the caller's structure, in bytes */

  /* Bytes of blocks, including the copies of a collection: at least 2 MiB. 0: three quarters of the
   * machine's memory, or less if control groups, RLIMIT_DATA or the address space admit less
   * (docs/tuning.md). The heap reserves at least twice this limit of address space, but at most
   * half of what RLIMIT_AS leaves. */
  size_t heap_limit;

  /* Bytes allocated between minor collections: from 32 KiB to heap_limit. 0: chosen by the library.
   */
  size_t nursery_size;

  enum spgc_stress stress;
  enum spgc_verify verify;
  enum spgc_move move;
  enum spgc_walk walk; /* spgc/stackwalk.h */
  enum spgc_concurrent concurrent;
  enum spgc_born born;
  enum spgc_compact compact;

  /* Fill vacated memory with a pattern, and make it inaccessible until it is used again. */
  bool poison;

  enum spgc_log_level log;

  /* 0: taken from the clock, and printed with `log`, `move` or random stress. */
  uint64_t seed;

  /* Threads of a collection, including the collecting one: at most 16. 0: one for each CPU
   * available (docs/tuning.md), at most 4; 1 under `stress` and `move`. With more than one, the
   * order of moves also depends on timing. */
  uint32_t threads;

  /* The old space should grow by this percentage of the live bytes, up to 10000, before the next
   * cycle has marked it; and by 32 MiB more while most new objects are small and survive. A cycle
   * begins after a growth of at least 32 MiB, or of what the limit leaves. 0: 100.
   * SPGC_GROWTH_TO_LIMIT: only the limit counts, so the heap has a fixed size. */
  uint32_t growth;

  /* In percent, up to 100. A full collection is futile if it was made for an object that found no
   * memory, took at least this share of the time since the one before, and freed less than 1/50 of
   * the limit. Every fifth in a row refuses its object, as if memory were exhausted. 0: 98.
   * SPGC_OVERHEAD_OFF: never. */
  uint32_t overhead;

  /* Aim for the pause of a minor collection, in microseconds. 2/3 of it are for copying the
   * nursery; a concurrent marking ends in such a pause only if the rest suffices
   * (docs/collections.md). 0: chosen by the library, and no aim if `nursery_size` is set. */
  uint32_t pause_us;

  /* Microseconds: with `log`, a longer stop is logged, with the function and line of the thread
   * that stopped last. 0: 10000. SPGC_SLOW_STOP_ALWAYS: every stop that waited for a thread. */
  uint32_t slow_stop_us;

  /* Microseconds: when a stop has waited this long for a thread, the program may hang, so a line on
   * standard error says what the thread is doing. A thread with a million scoped handles is also
   * reported. 0: 1000000. SPGC_HANG_OFF: never. */
  uint32_t hang_us;

  uint32_t without; /* must be 0: for the library's own measurements */

  uint64_t stress_interval;  /* with SPGC_STRESS_EVERY_NTH_ALLOCATION: at least 1 */
  double stress_probability; /* with SPGC_STRESS_RANDOM: above 0, at most 1 */

  /* Files to write, or NULL. The program keeps the texts until spgc_stop (the library keeps those
   * of spgc_options_parse). `%p` stands for the process ID, `%%` for `%`. One that cannot be
   * written is reported in the log, and the program continues (docs/observe.md). */
  const char *log_file; /* appended to; NULL: standard error */
  const char *trace;    /* a trace of pauses and threads */
  const char *snapshot; /* a heap snapshot, at the end and when memory is exhausted */
  const char *profile;  /* an allocation profile, at the end */

  size_t profile_bytes; /* mean bytes allocated between two samples: up to 1 GiB; 1: every object.
                           0: 512 KiB with `profile`, else none. Without `profile`,
                           spgc_profile_write (spgc/profile.h) writes the samples */

  /* Signals, such as SIGUSR2, that write `snapshot` or `profile`, replacing the previous file;
   * nothing is written at the end then. 0: none. A thread of the library writes the file, even if
   * all of the program's threads are busy or blocked. spgc_start refuses a signal that the program
   * handles. A forked child serves it if the file's name has `%p`. */
  int snapshot_signal, profile_signal;
};

/* Sets all options to the defaults; the caller has set `options->size`. For languages that cannot
 * call the function below. Any thread, any state. */
void spgc_options_initialise(struct spgc_options *options);

/* Sets all options, the size included. Any thread, any state. */
static inline void spgc_options_default(struct spgc_options *options) {
  if (options != NULL)
    options->size = sizeof *options;
  spgc_options_initialise(options);
}

/* Applies a comma-separated list of settings (docs/tuning.md), such as
 * "limit=64m,stress=every-allocation,seed=42,log=gc:gc.log,profile=p.pb:512k:on-signal=USR2", to
 * `options`. File names cannot contain commas. Sizes take k, m or g (powers of 1024), also as in
 * 48MB or 48MiB. Errors leave `options` as it was: SPGC_ERROR_INVALID_ARGUMENT (position = byte
 * offset into text), or SPGC_ERROR_UNSUPPORTED if the program's structure lacks an option that the
 * text sets. Any thread, any state. */
enum spgc_result spgc_options_parse(struct spgc_options *options, const char *text,
                                    struct spgc_error *error);

/* Starts the heap. `options` may be NULL for the defaults. The environment variable SPGC_OPTIONS is
 * applied on top, except in a process with raised privileges (secure_getenv(3)). Errors:
 * SPGC_ERROR_STATE if the heap is started, or the program handles a signal that should write a
 * file; SPGC_ERROR_INVALID_ARGUMENT; SPGC_ERROR_UNSUPPORTED for an option that only a later library
 * has; SPGC_ERROR_NO_MEMORY, also if the chosen limit does not fit half of the address space that
 * RLIMIT_AS leaves. Any thread. */
enum spgc_result spgc_start(const struct spgc_options *options, struct spgc_error *error);

/* Stops the heap and frees its memory. Fatal if a thread is attached. Does nothing if the heap is
 * not started. Any thread. */
void spgc_stop(void);

/* The kinds of collection that a program may request. */
enum spgc_collection {
  SPGC_COLLECTION_MINOR, /* the nursery; may also end a concurrent marking (a final mark) */
  SPGC_COLLECTION_FULL,  /* everything; old objects in dense blocks stay in place */
};

/* Collects now. Without room for copies, either kind collects everything and moves little or
 * nothing. A safepoint. Attached threads only. */
void spgc_collect(enum spgc_collection kind);

/* Verifies the whole heap. Errors: SPGC_ERROR_MALFORMED: `error` (may be NULL) names the first
 * contradiction: object, field, and what is wrong. SPGC_ERROR_NO_MEMORY: the check itself had no
 * memory. A safepoint. Attached threads only. */
enum spgc_result spgc_heap_verify(struct spgc_error *error);

/* The length of an array of counts by reason. Unused entries are 0. */
enum { SPGC_STATISTICS_REASONS = 16 };

/* Sums since spgc_start, unless noted; a forked child's include its parent's. Later releases add
 * members at the end (docs/abi.md).
 *
 * allocated_bytes, born_old_bytes, heap_bytes, peak_heap_bytes and elapsed_ns are read from the
 * heap and the clock. A listener (spgc/events.h) added before spgc_start can compute all others
 * from the events of collections and stops.
 *
 * Equations: collections == minor_collections + final_marks + full_collections
 *                        == pauses.count == the sum of reasons
 *            total_pause_ns == pauses.sum_ns, longest_pause_ns == pauses.longest_ns,
 *            longest_stop_ns == stops.longest_ns */
struct spgc_statistics {
  size_t size; /* of the caller's structure, in bytes */
  uint64_t collections;
  uint64_t minor_collections;
  uint64_t final_marks; /* collections of the nursery that ended a concurrent marking */
  uint64_t full_collections;
  uint64_t partial_markings; /* final marks of markings that treat everything the last marking found
                                live as live */
  uint64_t in_place_collections; /* full collections that had no room to copy more than a little */
  uint64_t allocated_bytes;
  uint64_t moved_objects;
  uint64_t moved_bytes;
  uint64_t frames_walked;      /* managed frames */
  uint64_t roots_in_slots;     /* distinct base locations visited in stack slots */
  uint64_t roots_in_registers; /* distinct base locations visited in saved callee-saved registers */
  uint64_t registers_rewritten; /* saved registers, base or derived, whose object moved */
  uint64_t heap_bytes;          /* bytes of blocks in use now */
  uint64_t peak_heap_bytes;     /* the largest value of heap_bytes */
  uint64_t live_bytes;          /* found live by the last final mark or full collection */
  uint64_t total_pause_ns;      /* from the end of the stop until the threads resume */
  uint64_t longest_pause_ns;
  uint64_t longest_minor_pause_ns; /* without final marks */
  uint64_t longest_final_mark_ns;
  uint64_t longest_stop_ns; /* from the request until all threads are at safepoints; not part of any
                               pause */
  uint64_t promoted_bytes;  /* bytes that became old: copied, pinned, or promoted in place */
  uint64_t born_old_bytes; /* bytes of small objects allocated in the old space; in allocated_bytes,
                              not in promoted_bytes */
  uint64_t reasons[SPGC_STATISTICS_REASONS]; /* collections by enum spgc_reason */
  uint64_t elapsed_ns;                       /* since spgc_start */
  uint64_t stopped_ns;     /* sum over all stops, forks included, from the request until the threads
                              continue */
  uint64_t slowest_thread; /* the last thread to arrive in the longest stop (spgc/events.h); 0: none
                              had to stop */

  /* Minimum mutator utilisation, from 0 to 1: the least share of any window of this length in which
   * the world was not stopped. Exact unless more than 512 stops are in a window; then it may be too
   * low, never too high. */
  double utilisation_10ms;
  double utilisation_100ms;

  struct spgc_histogram pauses;
  struct spgc_histogram stops; /* all stops, forks included, each as in longest_stop_ns */
};

/* Fills the members that the caller's structure has; those that this library does not know become
 * 0. The caller has set `statistics->size`. For languages that cannot call the function below.
 * Attached threads only. Not a safepoint. */
void spgc_statistics_fill(struct spgc_statistics *statistics);

/* Reads the statistics. Attached threads only. Not a safepoint. */
static inline void spgc_statistics_read(struct spgc_statistics *statistics) {
  if (statistics != NULL)
    statistics->size = sizeof *statistics;
  spgc_statistics_fill(statistics);
}

/* Called when memory is exhausted although everything was collected, or full collections take
 * nearly all the time (the option `overhead`). The calling thread may then allocate from its own
 * reserve of at least 64 KiB, which it shares with listeners of out_of_memory (spgc/events.h),
 * called before the hook. Objects in the reserve that stay reachable reduce it until as much memory
 * is free again. The hook may leave by spgc_leave (spgc/protect.h), or by unwinding; then the
 * handler must restore its handle scope (spgc/handle.h). If it returns, an allocation by C returns
 * null, and one by generated code ends the process with a message. NULL removes the hook, which
 * must stay, with its context, until threads that may still run it have detached. Any thread. */
typedef void (*spgc_out_of_memory_hook)(void *context, size_t requested_bytes);
void spgc_set_out_of_memory_hook(spgc_out_of_memory_hook hook, void *context);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
