#include "stackwalk/statepoint.h"

#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

enum {
  CALLING_CONVENTION = 0,
  FLAGS = 1,
  DEOPT_COUNT = 2,
  LEADING_CONSTANTS = 3,
  CALLING_CONVENTION_LAST = 1023, /* llvm::CallingConv::MaxID */
};

static const int64_t flags_known = STATEPOINT_GC_TRANSITION | STATEPOINT_DEOPT_LIVE_IN;

struct raw_location spgc_raw_location_read(const unsigned char *bytes) {
  struct raw_location location = {.kind = bytes[0]};
  memcpy(&location.size, bytes + 2, sizeof location.size);
  memcpy(&location.reg, bytes + 4, sizeof location.reg);
  memcpy(&location.offset, bytes + 8, sizeof location.offset);
  return location;
}

static struct raw_location location_at(const struct statepoint_record *record, uint32_t index) {
  return spgc_raw_location_read(record->locations + (size_t)index * STACKMAP_LOCATION_SIZE);
}

static uint64_t position_of(const struct statepoint_record *record, uint32_t index) {
  return record->position + (uint64_t)index * STACKMAP_LOCATION_SIZE;
}

static bool is_leading_constant(const struct statepoint_record *record, uint32_t index, int64_t last) {
  struct raw_location location = location_at(record, index);
  return location.kind == LOCATION_CONSTANT && location.size == WORD_SIZE && location.offset >= 0 &&
         location.offset <= last;
}

static uint32_t first_pair(const struct statepoint_record *record) {
  return LEADING_CONSTANTS + (uint32_t)location_at(record, DEOPT_COUNT).offset;
}

/* Allocas are the run of direct locations at the end, less one if that is needed to leave whole pairs before it. */
static uint32_t first_alloca(const struct statepoint_record *record) {
  uint32_t first = record->location_count;
  while (first > first_pair(record) && location_at(record, first - 1).kind == LOCATION_DIRECT)
    first--;
  bool half_pair = (first - first_pair(record)) % 2 != 0;
  return half_pair && first < record->location_count ? first + 1 : first;
}

bool spgc_statepoint_recognise(const struct statepoint_record *record) {
  if (record->live_out_count != 0 || record->location_count < LEADING_CONSTANTS)
    return false;
  if (!is_leading_constant(record, CALLING_CONVENTION, CALLING_CONVENTION_LAST) ||
      !is_leading_constant(record, FLAGS, flags_known) ||
      !is_leading_constant(record, DEOPT_COUNT, record->location_count - LEADING_CONSTANTS))
    return false;
  return (first_alloca(record) - first_pair(record)) % 2 == 0;
}

/* Where a reference can be found and written back while the frame is suspended. */
static enum spgc_result writable_location(const struct statepoint_record *record, uint32_t index,
                                          struct location *location, struct spgc_error *error) {
  struct raw_location raw = location_at(record, index);
  uint64_t position = position_of(record, index);
  if (raw.size == 0 || raw.size % WORD_SIZE != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, position, "a reference of %u bytes", raw.size);
  bool in_register = raw.kind == LOCATION_REGISTER;
  if (in_register && raw.size != WORD_SIZE)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, position, "a vector of references in register %u", raw.reg);
  if (!register_is_callee_saved(raw.reg) && (in_register || raw.reg != DWARF_RSP))
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, position,
                          "a reference that depends on register %u, which calls do not preserve", raw.reg);
  *location = (struct location){.offset = in_register ? 0 : raw.offset,
                                .words = (uint16_t)(raw.size / WORD_SIZE),
                                .reg = (uint8_t)raw.reg,
                                .in_register = in_register};
  return SPGC_OK;
}

/* Constants, and addresses of allocas: never objects of a moving heap, so there is nothing to write. */
static bool is_immovable(struct raw_location location) {
  return location.kind != LOCATION_REGISTER && location.kind != LOCATION_INDIRECT;
}

static enum spgc_result append_pair(const struct statepoint_record *record, uint32_t index,
                                    struct location_pools *pools, struct spgc_error *error) {
  struct raw_location base = location_at(record, index);
  struct raw_location derived = location_at(record, index + 1);
  if (is_immovable(base))
    return SPGC_OK;
  struct location_pair *pair = spgc_array_append(&pools->scratch, 1);
  if (pair == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, position_of(record, index), "no memory for locations");
  enum spgc_result result = writable_location(record, index, &pair->base, error);
  if (result != SPGC_OK)
    return result;
  if (is_immovable(derived)) { /* folded to a constant: the base itself still has to be kept */
    pair->derived = pair->base;
    return SPGC_OK;
  }
  result = writable_location(record, index + 1, &pair->derived, error);
  if (result == SPGC_OK && pair->derived.words != pair->base.words)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, position_of(record, index + 1),
                          "a derived location of %u bytes with a base of %u bytes", derived.size, base.size);
  return result;
}

static enum spgc_result append_alloca(const struct statepoint_record *record, uint32_t index,
                                      struct location_pools *pools, struct spgc_error *error) {
  struct location_pair *pair = spgc_array_append(&pools->scratch, 1);
  if (pair == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, position_of(record, index), "no memory for locations");
  enum spgc_result result = writable_location(record, index, &pair->base, error);
  pair->derived = pair->base;
  return result;
}

static enum spgc_result collect_pairs(const struct statepoint_record *record, struct location_pools *pools,
                                      struct spgc_error *error) {
  pools->scratch.count = 0;
  uint32_t allocas = first_alloca(record);
  enum spgc_result result = SPGC_OK;
  for (uint32_t index = first_pair(record); index < allocas && result == SPGC_OK; index += 2)
    result = append_pair(record, index, pools, error);
  for (uint32_t index = allocas; index < record->location_count && result == SPGC_OK; index++)
    result = append_alloca(record, index, pools, error);
  return result;
}

static int compare_locations(const void *a, const void *b) {
  return location_compare(a, b);
}

static int compare_derived_locations(const void *a, const void *b) {
  const struct derived_location *left = a, *right = b;
  int order = location_compare(&left->location, &right->location);
  return order != 0 ? order : (left->base > right->base) - (left->base < right->base);
}

static int compare_derived_bases(const void *a, const void *b) {
  const struct derived_location *left = a, *right = b;
  if (left->base != right->base)
    return left->base < right->base ? -1 : 1;
  return location_compare(&left->location, &right->location);
}

static enum spgc_result clash(const struct statepoint_record *record, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, record->position,
                        "two references overlap without being the same location");
}

/* Sorts the bases of the scratch pairs into the pool, each once. */
static enum spgc_result append_bases(const struct statepoint_record *record, struct location_pools *pools,
                                     struct frame_description *frame, struct spgc_error *error) {
  const struct location_pair *pairs = pools->scratch.data;
  size_t count = pools->scratch.count;
  struct location *bases = spgc_array_append(&pools->bases, count);
  if (bases == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, record->position, "no memory for locations");
  for (size_t i = 0; i < count; i++)
    bases[i] = pairs[i].base;
  qsort(bases, count, sizeof *bases, compare_locations);
  uint32_t distinct = 0;
  for (size_t i = 0; i < count; i++) {
    if (distinct > 0 && location_equal(&bases[distinct - 1], &bases[i]))
      continue;
    if (distinct > 0 && location_clash(&bases[distinct - 1], &bases[i]))
      return clash(record, error);
    bases[distinct++] = bases[i];
  }
  pools->bases.count -= count - distinct;
  frame->base_count = distinct;
  return SPGC_OK;
}

static uint32_t base_index(const struct location *bases, uint32_t count, const struct location *base) {
  const struct location *found = bsearch(base, bases, count, sizeof *bases, compare_locations);
  spgc_require(found != NULL, "a base at register %u offset %d is not among the bases", base->reg, base->offset);
  return (uint32_t)(found - bases);
}

/* The bases are sorted and do not overlap, so only the neighbours of where `location` would go can clash with it. */
static bool clashes_with_a_base(const struct location *bases, uint32_t count, const struct location *location) {
  uint32_t low = 0, high = count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (location_compare(&bases[middle], location) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return (low < count && location_clash(&bases[low], location)) ||
         (low > 0 && location_clash(&bases[low - 1], location));
}

/* Decides which derived locations the walker writes, so that each is written once and no base is. Where one location
 * derives from two bases, both are copies of the same reference and either gives the same result. */
static bool mark_rewritten(const struct location *bases, uint32_t base_count, struct derived_location *derived,
                           uint32_t count) {
  qsort(derived, count, sizeof *derived, compare_derived_locations);
  for (uint32_t i = 0; i < count; i++) {
    const struct location *location = &derived[i].location;
    if (clashes_with_a_base(bases, base_count, location))
      return false;
    if (i > 0 && location_clash(&derived[i - 1].location, location))
      return false;
    bool listed_before = i > 0 && location_equal(&derived[i - 1].location, location);
    bool is_base = bsearch(location, bases, base_count, sizeof *bases, compare_locations) != NULL;
    derived[i].rewritten = !listed_before && !is_base;
  }
  qsort(derived, count, sizeof *derived, compare_derived_bases);
  return true;
}

static enum spgc_result append_derived(const struct statepoint_record *record, struct location_pools *pools,
                                       struct frame_description *frame, struct spgc_error *error) {
  const struct location_pair *pairs = pools->scratch.data;
  const struct location *bases = (const struct location *)pools->bases.data + pools->bases.count - frame->base_count;
  size_t pair_count = pools->scratch.count;
  struct derived_location *derived = spgc_array_append(&pools->derived, pair_count);
  if (derived == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, record->position, "no memory for locations");
  uint32_t count = 0;
  for (size_t i = 0; i < pair_count; i++) {
    if (location_equal(&pairs[i].base, &pairs[i].derived))
      continue;
    derived[count++] = (struct derived_location){.location = pairs[i].derived,
                                                 .base = base_index(bases, frame->base_count, &pairs[i].base)};
  }
  pools->derived.count -= pair_count - count;
  frame->derived_count = count;
  return mark_rewritten(bases, frame->base_count, derived, count) ? SPGC_OK : clash(record, error);
}

static int64_t pooled_constant(const struct statepoint_record *record, int32_t index) {
  int64_t value;
  memcpy(&value, record->constants + (size_t)(uint32_t)index * sizeof value, sizeof value);
  return value;
}

static enum spgc_result append_deopts(const struct statepoint_record *record, struct location_pools *pools,
                                      struct frame_description *frame, struct spgc_error *error) {
  uint32_t count = first_pair(record) - LEADING_CONSTANTS;
  struct deopt_location *deopts = spgc_array_append(&pools->deopts, count);
  if (deopts == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, record->position, "no memory for deopt locations");
  for (uint32_t i = 0; i < count; i++) {
    struct raw_location raw = location_at(record, LEADING_CONSTANTS + i);
    bool pooled = raw.kind == LOCATION_CONSTANT_INDEX;
    deopts[i] = (struct deopt_location){.kind = pooled ? LOCATION_CONSTANT : raw.kind,
                                        .size = raw.size,
                                        .reg = raw.reg,
                                        .value = pooled ? pooled_constant(record, raw.offset) : raw.offset};
  }
  frame->deopt_count = count;
  return SPGC_OK;
}

enum spgc_result spgc_statepoint_decode(const struct statepoint_record *record, struct location_pools *pools,
                                        struct frame_description *frame, struct spgc_error *error) {
  frame->flags = (uint64_t)location_at(record, FLAGS).offset;
  enum spgc_result result = append_deopts(record, pools, frame, error);
  if (result == SPGC_OK)
    result = collect_pairs(record, pools, error);
  if (result == SPGC_OK)
    result = append_bases(record, pools, frame, error);
  if (result == SPGC_OK)
    result = append_derived(record, pools, frame, error);
  return result;
}
