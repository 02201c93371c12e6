/* Fails the test if the file contradicts itself. */
#ifndef SPGC_TESTS_PROFILE_READER_H
#define SPGC_TESTS_PROFILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum profile_value { ALLOC_OBJECTS, ALLOC_SPACE, INUSE_OBJECTS, INUSE_SPACE, PROFILE_VALUES };

struct profile_sample {
  uint64_t values[PROFILE_VALUES];
  uint64_t survived;
  const char *type;
  size_t depth;
  const char **functions; /* by call, the innermost first; "" where not known */
  const char **files;
  uint64_t *lines;
};

struct profile {
  size_t count;
  struct profile_sample *samples;
  uint64_t period;
  size_t comments;
};

/* Frees nothing: each test has its own process. */
struct profile *profile_read(const char *path);

/* Over samples of a type, with a function among their calls; NULL for any. */
uint64_t profile_sum(const struct profile *profile, enum profile_value value, const char *type,
                     const char *function);

/* Over samples of a type that survived `survived` collections. */
uint64_t profile_survived(const struct profile *profile, enum profile_value value, const char *type,
                          uint64_t survived);

#endif
