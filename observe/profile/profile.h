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

/* Of the mean distance of samples. */
enum { SPGC_GREATEST_PROFILE_BYTES = 1 << 30 };

/* A profile that is to be written. */
struct spgc_profile_capture {
  bool is_taken; /* there is one */
  struct spgc_profile_tables tables;
  struct spgc_pprof_facts facts;
  const char *path; /* of the option */
};

/* Begins to sample, on average one object in `mean` bytes; 0: in 512 KiB. Nothing is sampled so
 * far. With the world stopped, or under its lock with no thread attached. */
void spgc_profile_begin(uint64_t mean);

/* Ends sampling, and returns the tables, which the caller frees. In the same states. */
struct spgc_profile_tables spgc_profile_end(void);

/* Whether allocations are sampled. With the world stopped, or under its lock. */
bool spgc_profile_is_on(void);

/* The file that the option `profile` names, if it has begun the sampling; else NULL. In the same
 * states. */
const char *spgc_profile_option_path(void);

/* Captures what was sampled so far. False if nothing is sampled (`is_on`), or the process is out of
 * memory. Threads go on sampling. */
bool spgc_profile_capture_now(struct spgc_profile_capture *capture, bool *is_on);

/* Writes the capture, and frees it. `call` begins messages. The caller holds no lock. */
enum spgc_result spgc_profile_write_capture(struct spgc_profile_capture *capture, const char *call,
                                            const char *path, struct spgc_error *error);

/* Begins to sample, if the options say so. Under the world's lock; no thread is attached. */
void spgc_profile_option_begin(const struct spgc_options *options);

/* Called when the heap was started, and before it is stopped, with nothing locked: sees to the
 * signal that asks for the option's file. */
void spgc_profile_signal_begin(void);
void spgc_profile_signal_end(void);

/* Ends all sampling, and captures what the option's file is to have. Under the world's lock, before
 * the tables of sampled objects are freed. */
void spgc_profile_option_end(struct spgc_profile_capture *capture);

/* Writes what spgc_profile_option_end has captured to the file of the option, and says so in the
 * log if that fails. The caller holds no lock. */
void spgc_profile_finish(struct spgc_profile_capture *capture);

#endif
