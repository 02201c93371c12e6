/* An uncompressed pprof message, for `go tool pprof` and others (github.com/google/pprof,
 * proto/profile.proto). */
#ifndef SPGC_OBSERVE_PROFILE_PPROF_H
#define SPGC_OBSERVE_PROFILE_PPROF_H

#include "observe/profile/profile_tables.h"
#include "observe/profile/protobuf.h"

struct spgc_pprof_facts {
  uint64_t period;                /* mean bytes between samples */
  uint64_t start_ns, duration_ns; /* since 1970, and from then to now */
  uint64_t dropped_samples;
};

/* With functions and lines from debug information. Changes the tables, a copy. False if out of
 * memory. */
bool spgc_pprof_write(struct spgc_protobuf *profile, struct spgc_profile_tables *tables,
                      const struct spgc_pprof_facts *facts);

#endif
