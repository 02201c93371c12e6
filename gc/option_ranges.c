#include "gc/option_ranges.h"

#include <inttypes.h>
#include <stdio.h>

#include "gc/policy/limit.h"
#include "gc/policy/overhead.h"
#include "gc/policy/pacer.h"
#include "heap/geometry.h"

enum { PERCENT = 100 };

static const struct range {
  uint64_t least, greatest, else_allowed;
  const char *format; /* in units */
  uint64_t least_unit, greatest_unit;
} ranges[] = {
    [SPGC_RANGED_LIMIT] = {SPGC_LEAST_LIMIT, SPGC_GREATEST_LIMIT, 0,
                           "a heap limit is 0 or from %" PRIu64 "m to %" PRIu64 "g",
                           UINT64_C(1) << 20, UINT64_C(1) << 30},
    [SPGC_RANGED_NURSERY] = {SPGC_BLOCK_BYTES, SPGC_GREATEST_LIMIT, 0,
                             "a nursery is 0 or from %" PRIu64 "k to the limit, at most %" PRIu64
                             "g",
                             UINT64_C(1) << 10, UINT64_C(1) << 30},
    [SPGC_RANGED_GROWTH] = {1, SPGC_GREATEST_GROWTH, SPGC_GROWTH_TO_LIMIT,
                            "growth is 0 or from %" PRIu64 " to %" PRIu64 " percent, or limit", 1,
                            1},
    [SPGC_RANGED_THREADS] = {1, SPGC_MOST_WORKERS, 0,
                             "threads is 0 or from %" PRIu64 " to %" PRIu64, 1, 1},
    [SPGC_RANGED_OVERHEAD] = {1, PERCENT, SPGC_OVERHEAD_OFF,
                              "overhead is 0 or from %" PRIu64 " to %" PRIu64 " percent, or off", 1,
                              1},
};

bool spgc_option_is_in_range(enum spgc_ranged_option option, uint64_t value) {
  const struct range *range = &ranges[option];
  return value == 0 || value == range->else_allowed ||
         (value >= range->least && value <= range->greatest);
}

void spgc_option_range_describe(enum spgc_ranged_option option, char text[SPGC_RANGE_TEXT_BYTES]) {
  const struct range *range = &ranges[option];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, SPGC_RANGE_TEXT_BYTES, range->format, range->least / range->least_unit,
           range->greatest / range->greatest_unit);
#pragma GCC diagnostic pop
}
