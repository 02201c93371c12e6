#include "stackwalk/raw_items.h"
#include "support/fatal.h"

enum {
  CALLING_CONVENTION = 0,
  FLAGS = 1,
  DEOPT_COUNT = 2,
  LEADING_CONSTANTS = 3,
  CALLING_CONVENTION_LAST = 1023, /* llvm::CallingConv::MaxID */
  CONSTANT_SIZE = 8,
  FLAGS_KNOWN = SPGC_STATEPOINT_GC_TRANSITION | SPGC_STATEPOINT_DEOPT_LIVE_IN,
};

struct candidate {
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
  const struct spgc_stackmap_record *record;
};

static inline struct spgc_stackmap_location location_at(const struct candidate *candidate,
                                                        uint32_t index) {
  return checked_location(candidate->section, candidate->blob, candidate->record, index);
}

struct leading_constants {
  uint16_t values[LEADING_CONSTANTS];
};

/* Not compared field by field, because compilers would make that a wide load of bytes just stored
 * narrowly, which stalls. */
static inline bool is_constant(unsigned kind, unsigned size, int32_t value, int32_t last) {
  unsigned differs = (kind ^ SPGC_LOCATION_CONSTANT) | (size ^ CONSTANT_SIZE);
  return differs == 0 && value >= 0 && value <= last;
}

/* The record must have at least as many locations. */
static inline bool read_leading(const struct candidate *candidate,
                                struct leading_constants *leading) {
  const int32_t last[LEADING_CONSTANTS] = {CALLING_CONVENTION_LAST, FLAGS_KNOWN,
                                           candidate->record->location_count - LEADING_CONSTANTS};
  bool are_constants = true;
  if (items_are_raw(candidate->section, candidate->blob)) {
    struct raw_location raw[LEADING_CONSTANTS];
    raw_locations_copy(raw, LEADING_CONSTANTS, candidate->section, candidate->record, 0);
    for (unsigned i = 0; i < LEADING_CONSTANTS; i++) {
      are_constants =
          are_constants && is_constant(raw[i].kind, raw[i].size, raw[i].offset, last[i]);
      leading->values[i] = (uint16_t)raw[i].offset;
    }
    return are_constants;
  }
  for (unsigned i = 0; i < LEADING_CONSTANTS; i++) {
    struct spgc_stackmap_location location = location_at(candidate, i);
    are_constants =
        are_constants && is_constant(location.kind, location.size, location.offset, last[i]);
    leading->values[i] = (uint16_t)location.offset;
  }
  return are_constants;
}

/* Less one if whole pairs must precede the direct locations. */
static uint32_t first_alloca(const struct candidate *candidate, uint32_t first_pair) {
  uint32_t count = candidate->record->location_count, first = count;
  while (first > first_pair && location_at(candidate, first - 1).kind == SPGC_LOCATION_DIRECT)
    first--;
  bool half_pair = (first - first_pair) % 2 != 0;
  return half_pair && first < count ? first + 1 : first;
}

/* 0 if the location is not a constant. */
static uint64_t constant_at(const struct candidate *candidate, uint32_t index) {
  struct spgc_stackmap_location location = location_at(candidate, index);
  if (location.kind == SPGC_LOCATION_CONSTANT)
    return (uint64_t)(int64_t)location.offset;
  if (location.kind != SPGC_LOCATION_CONSTANT_INDEX)
    return 0;
  return spgc_stackmap_constant_at(candidate->section, candidate->blob, (uint32_t)location.offset);
}

enum { VARIABLES_END = 2 }; /* the count, and SPGC_STACKMAP_VARIABLES */

/* Counts them with their two constants. */
static uint32_t trailing_variables(const struct candidate *candidate, uint32_t deopt_count) {
  if (deopt_count < VARIABLES_END)
    return 0;
  uint32_t last = LEADING_CONSTANTS + deopt_count - 1;
  if (constant_at(candidate, last) != SPGC_STACKMAP_VARIABLES)
    return 0;
  uint64_t count = constant_at(candidate, last - 1);
  return count <= deopt_count - VARIABLES_END ? (uint32_t)count + VARIABLES_END : 0;
}

bool spgc_stackmap_statepoint_layout(const struct spgc_stackmap_section *section,
                                     const struct spgc_stackmap_blob *blob,
                                     const struct spgc_stackmap_record *record,
                                     struct spgc_statepoint_layout *layout) {
  const struct candidate candidate = {section, blob, record};
  struct leading_constants leading;
  spgc_require_use(section != NULL && blob != NULL && record != NULL && layout != NULL,
                   "no section, no blob, no record or no structure for the layout is given");
  if (record->live_out_count != 0 || record->location_count < LEADING_CONSTANTS ||
      !read_leading(&candidate, &leading))
    return false;
  const uint16_t deopt_count = leading.values[DEOPT_COUNT];
  uint32_t pairs = LEADING_CONSTANTS + (uint32_t)deopt_count;
  uint32_t allocas = first_alloca(&candidate, pairs);
  if ((allocas - pairs) % 2 != 0)
    return false;
  uint32_t variables = trailing_variables(&candidate, deopt_count);
  *layout = (struct spgc_statepoint_layout){
      .calling_convention = leading.values[CALLING_CONVENTION],
      .flags = leading.values[FLAGS],
      .first_deopt = LEADING_CONSTANTS,
      .deopt_count = deopt_count - variables,
      .first_variable = pairs - variables,
      .variable_count = variables == 0 ? 0 : variables - VARIABLES_END,
      .first_pair = pairs,
      .pair_count = allocas - pairs,
      .first_alloca = allocas,
      .alloca_count = record->location_count - allocas};
  return true;
}
