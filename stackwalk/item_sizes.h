#ifndef SPGC_STACKWALK_ITEM_SIZES_H
#define SPGC_STACKWALK_ITEM_SIZES_H

#include "spgc/stackmap_reader.h"

enum {
  STACKMAP_CONSTANT_SIZE = 8,
  STACKMAP_LIVE_OUT_SIZE = 4,
};

static inline uint64_t stackmap_function_size(const struct spgc_stackmap_blob *blob) {
  enum { SIZE_V1 = 16, SIZE = 24 }; /* version 1 does not count a function's records */
  return blob->version == 1 ? SIZE_V1 : SIZE;
}

static inline uint64_t stackmap_location_size(const struct spgc_stackmap_blob *blob) {
  enum { SIZE_V1 = 8, SIZE = 12 };
  return blob->version < 3 ? SIZE_V1 : SIZE;
}

#endif
