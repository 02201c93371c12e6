/* An allocation profile: pprof's format (profile.proto), not compressed.
 *
 *   sample -> ids of locations, the innermost call first -> lines, that of the innermost inlined
 *             function first -> a function
 */
#ifndef SPGC_TOOLS_HEAP_PROFILE_FILE_H
#define SPGC_TOOLS_HEAP_PROFILE_FILE_H

#include <stdbool.h>

#include "tools/heap/strings.h"

struct profile_part {
  size_t first, count;
};

struct profile_label {
  uint64_t key, text; /* strings */
};

struct profile_sample {
  struct profile_part locations, values, labels;
};

struct profile_location {
  uint64_t id, mapping, address; /* id of the mapping; 0: none */
  struct profile_part lines;
};

struct profile_line {
  uint64_t function, line; /* id of the function */
};

struct profile_function {
  uint64_t id, name, source; /* strings */
};

struct profile_mapping {
  uint64_t id, file; /* a string */
};

struct profile_array {
  void *items;
  size_t count, capacity;
};

/* The values of each sample. */
enum profile_value {
  PROFILE_ALLOCATED_OBJECTS,
  PROFILE_ALLOCATED_BYTES,
  PROFILE_LIVE_OBJECTS,
  PROFILE_LIVE_BYTES,
  PROFILE_VALUES
};

/* All referenced strings and ids exist, except ids of 0. */
struct profile {
  struct profile_array samples, locations, lines, functions, mappings,
      labels;                                       /* ordered by id, if any */
  struct profile_array location_ids, values, types; /* numbers; types: strings of sample types */
  struct strings strings;
  size_t columns[PROFILE_VALUES]; /* positions in a sample's values */
  uint64_t period;                /* mean bytes between samples */
};

/* Reports errors. The caller always frees the profile. */
bool profile_read(struct profile *profile, const char *path);
void profile_free(struct profile *profile);

static inline const struct profile_sample *profile_sample_at(const struct profile *profile,
                                                             size_t index) {
  return (const struct profile_sample *)profile->samples.items + index;
}

uint64_t profile_value_of(const struct profile *profile, const struct profile_sample *sample,
                          enum profile_value value);

/* 0 is the innermost call. */
const struct profile_location *profile_location_of(const struct profile *profile,
                                                   const struct profile_sample *sample,
                                                   size_t number);

/* NULL if there is none. */
const struct profile_function *profile_function_of(const struct profile *profile, uint64_t id);
const struct profile_mapping *profile_mapping_of(const struct profile *profile, uint64_t id);

/* NULL without such a label. */
const char *profile_label_of(const struct profile *profile, const struct profile_sample *sample,
                             const char *key);

#endif
