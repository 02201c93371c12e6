/* The allocation profile: sampled allocations, followed until the objects die (spgc/profile.h).
 *
 * The options begin it at the heap's start, profile_calls.c in a running heap. */
#ifndef SPGC_OBSERVE_PROFILE_PROFILE_H
#define SPGC_OBSERVE_PROFILE_PROFILE_H

#include <stdbool.h>

#include "observe/profile/pprof.h"
#include "spgc/heap.h"

/* Between samples. */
enum { SPGC_GREATEST_PROFILE_BYTES = 1 << 30 };

struct spgc_profile_capture {
  bool is_taken;
  struct spgc_profile_tables tables;
  struct spgc_pprof_facts facts;
  const char *path; /* the option's */
};

/* 0: 512 KiB. Sampling is off. This and the next need the world stopped, or its lock with no thread
 * attached. */
void spgc_profile_begin(uint64_t mean);

/* The caller frees the tables. */
struct spgc_profile_tables spgc_profile_end(void);

/* These need the world stopped, or its lock. The path is NULL unless the option began the
 * sampling. */
bool spgc_profile_is_on(void);
const char *spgc_profile_option_path(void);

/* False if sampling is off (`is_on`), or out of memory. Threads continue to sample. */
bool spgc_profile_capture_now(struct spgc_profile_capture *capture, bool *is_on);

/* Also frees the capture. `call` begins messages. The caller holds no lock. */
enum spgc_result spgc_profile_write_capture(struct spgc_profile_capture *capture, const char *call,
                                            const char *path, struct spgc_error *error);

/* As the options say. Needs the world's lock; no thread is attached. */
void spgc_profile_option_begin(const struct spgc_options *options);

/* After the heap's start, and before its stop, with nothing locked. */
void spgc_profile_signal_begin(void);
void spgc_profile_signal_end(void);

/* Ends all sampling, and captures the option's file. Needs the world's lock, before the tables of
 * sampled objects are freed. */
void spgc_profile_option_end(struct spgc_profile_capture *capture);

/* Writes the option's file. Logs a failure. The caller holds no lock. */
void spgc_profile_finish(struct spgc_profile_capture *capture);

#endif
