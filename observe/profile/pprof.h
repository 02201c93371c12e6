/* An uncompressed pprof message (github.com/google/pprof, proto/profile.proto). */
#ifndef SPGC_OBSERVE_PROFILE_PPROF_H
#define SPGC_OBSERVE_PROFILE_PPROF_H

#include "observe/profile/profile_tables.h"
#include "observe/profile/protobuf.h"

struct spgc_pprof_facts {
  uint64_t period;                /* mean bytes between samples */
  uint64_t start_ns, duration_ns; /* start: since 1970; duration: until now */
  uint64_t dropped_samples;
};

/* Adds functions and lines from debug information to the tables, which must be a copy. False if out
 * of memory. */
bool spgc_pprof_write(struct spgc_protobuf *profile, struct spgc_profile_tables *tables,
                      const struct spgc_pprof_facts *facts);

#endif
