/* Recognising a statepoint's record, and where its groups of locations start. */
#include "stackwalk/raw_location.h"

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

static inline struct spgc_stackmap_location location_at(const struct candidate *candidate, uint32_t index) {
  return checked_location(candidate->section, candidate->blob, candidate->record, index);
}

/* Not field by field: compilers join such comparisons to wide loads of what was just stored narrowly, which stall. */
static inline bool leading_constant(const struct candidate *candidate, uint32_t index, int32_t last, uint16_t *value) {
  struct spgc_stackmap_location location = location_at(candidate, index);
  *value = (uint16_t)location.offset;
  unsigned differs = ((unsigned)location.kind ^ SPGC_LOCATION_CONSTANT) | (unsigned)(location.size ^ CONSTANT_SIZE);
  return differs == 0 && location.offset >= 0 && location.offset <= last;
}

/* Allocas are the run of direct locations at the end, less one if that is needed to leave whole pairs before it. */
static uint32_t first_alloca(const struct candidate *candidate, uint32_t first_pair) {
  uint32_t count = candidate->record->location_count, first = count;
  while (first > first_pair && location_at(candidate, first - 1).kind == SPGC_LOCATION_DIRECT)
    first--;
  bool half_pair = (first - first_pair) % 2 != 0;
  return half_pair && first < count ? first + 1 : first;
}

bool spgc_stackmap_statepoint_layout(const struct spgc_stackmap_section *section, const struct spgc_stackmap_blob *blob,
                                     const struct spgc_stackmap_record *record, struct spgc_statepoint_layout *layout) {
  const struct candidate candidate = {section, blob, record};
  uint16_t calling_convention, flags, deopt_count;
  if (record->live_out_count != 0 || record->location_count < LEADING_CONSTANTS ||
      !leading_constant(&candidate, CALLING_CONVENTION, CALLING_CONVENTION_LAST, &calling_convention) ||
      !leading_constant(&candidate, FLAGS, FLAGS_KNOWN, &flags) ||
      !leading_constant(&candidate, DEOPT_COUNT, record->location_count - LEADING_CONSTANTS, &deopt_count))
    return false;
  uint32_t pairs = LEADING_CONSTANTS + (uint32_t)deopt_count;
  uint32_t allocas = first_alloca(&candidate, pairs);
  if ((allocas - pairs) % 2 != 0)
    return false;
  *layout = (struct spgc_statepoint_layout){.calling_convention = calling_convention,
                                            .flags = flags,
                                            .first_deopt = LEADING_CONSTANTS,
                                            .deopt_count = deopt_count,
                                            .first_pair = pairs,
                                            .pair_count = allocas - pairs,
                                            .first_alloca = allocas,
                                            .alloca_count = record->location_count - allocas};
  return true;
}
