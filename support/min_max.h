#ifndef SPGC_SUPPORT_MIN_MAX_H
#define SPGC_SUPPORT_MIN_MAX_H

#include <stddef.h>

static inline size_t spgc_min(size_t a, size_t b) {
  return a < b ? a : b;
}

static inline size_t spgc_max(size_t a, size_t b) {
  return a > b ? a : b;
}

#endif
