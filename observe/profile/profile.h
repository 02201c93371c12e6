/* The allocation profile: sampled allocations, followed until the objects die (spgc/profile.h).
 *
 *   gc/tlab/sampler.h        chooses the allocations, and takes their stacks
 *   gc/weak/sampled_object.h    follows the objects
 *   observe/profile/profile_tables.h counts, by stack, type and collections survived
 *   observe/profile/pprof.h          the file
 *
 * The options begin it when the heap is started, and observe/profile/profile_calls.c in a
 * running heap.
 */
#ifndef SPGC_OBSERVE_PROFILE_PROFILE_H
#define SPGC_OBSERVE_PROFILE_PROFILE_H

#include <stdbool.h>

#include "observe/profile/pprof.h"
#include "spgc/heap.h"

/* Greatest mean distance of samples. */
enum { SPGC_GREATEST_PROFILE_BYTES = 1 << 30 };

/* A profile to be written. */
struct spgc_profile_capture {
  bool is_taken;
  struct spgc_profile_tables tables;
  struct spgc_pprof_facts facts;
  const char *path; /* from the option */
};

/* 0: in 512 KiB. Sampling must be off. With the world stopped, or under its lock with no thread
 * attached. */
void spgc_profile_begin(uint64_t mean);

/* The caller frees the tables. With the world stopped, or under its lock with no thread
 * attached. */
struct spgc_profile_tables spgc_profile_end(void);

/* Whether allocations are sampled. With the world stopped, or under its lock. */
bool spgc_profile_is_on(void);

/* The file of the option `profile`, if the option began the sampling; else NULL. With the world
 * stopped, or under its lock. */
const char *spgc_profile_option_path(void);

/* What was sampled so far. False if sampling is off (`is_on`), or the process is out of memory.
 * Threads go on sampling. */
bool spgc_profile_capture_now(struct spgc_profile_capture *capture, bool *is_on);

/* Writes the capture, and frees it. `call` begins messages. The caller holds no lock. */
enum spgc_result spgc_profile_write_capture(struct spgc_profile_capture *capture, const char *call,
                                            const char *path, struct spgc_error *error);

/* If the options say so. Under the world's lock; no thread is attached. */
void spgc_profile_option_begin(const struct spgc_options *options);

/* Begins and ends the handling of the signal that requests the option's file. After the heap was
 * started, and before it is stopped, with nothing locked. */
void spgc_profile_signal_begin(void);
void spgc_profile_signal_end(void);

/* Ends all sampling, and captures the option's file. Under the world's lock, before the tables of
 * sampled objects are freed. */
void spgc_profile_option_end(struct spgc_profile_capture *capture);

/* Writes the capture to the option's file, and logs a failure. The caller holds no lock. */
void spgc_profile_finish(struct spgc_profile_capture *capture);

#endif
