/* The allocation profile: sampled allocations, followed until the objects die (spgc/profile.h).
 *
 *   gc/mutator/sampler.h        chooses the allocations, and takes their stacks
 *   gc/weak/sampled_object.h    follows the objects
 *   gc/observe/profile_tables.h counts, by stack, type and collections survived
 *   gc/observe/pprof.h          the file
 */
#ifndef SPGC_GC_OBSERVE_PROFILE_H
#define SPGC_GC_OBSERVE_PROFILE_H

#include <stdbool.h>

#include "gc/observe/pprof.h"
#include "spgc/heap.h"

/* A profile that is to be written. */
struct spgc_profile_capture {
  bool is_taken; /* there is one */
  struct spgc_profile_tables tables;
  struct spgc_pprof_facts facts;
  const char *path; /* of the option */
};

/* Begins to sample, if the options say so. Under the world's lock; no thread is attached. */
void spgc_profile_start(const struct spgc_options *options);

/* Whether allocations are sampled. Under the world's lock. */
bool spgc_profile_is_on(void);

/* Ends sampling. Under the world's lock, before the tables of sampled objects are freed. */
void spgc_profile_stop(struct spgc_profile_capture *capture);

/* Writes the profile that spgc_profile_stop has captured, to the file of the option, and says so in
 * the log if that fails. The caller holds no lock. */
void spgc_profile_finish(struct spgc_profile_capture *capture);

#endif
