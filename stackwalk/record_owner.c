#include "stackwalk/record_owner.h"

#include <inttypes.h>
#include <stdlib.h>

#include "support/fatal.h"

struct function_extent {
  uint64_t address;
  uint32_t index;
  /* Bytes to the start of the next function; UINT64_MAX for the last. */
  uint64_t room;
};

/* A record's possible owners are f with first <= f <= last, and enough room. */
struct owner_range {
  uint64_t position; /* the record's; for messages */
  uint32_t offset;
  uint32_t first, last;
};

struct owner_search {
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
  const struct record_owner_source *source;
  struct array extents; /* struct function_extent; by address, then by index */
  struct array ranges;  /* struct owner_range, one per record */
  uint32_t known;       /* records whose function the caller gave */
  struct spgc_error *error;
};

static int compare_addresses(const void *a, const void *b) {
  const struct function_extent *left = a, *right = b;
  return (left->address > right->address) - (left->address < right->address);
}

static int compare_indexes(const void *a, const void *b) {
  const struct function_extent *left = a, *right = b;
  return (left->index > right->index) - (left->index < right->index);
}

static enum spgc_result no_memory(const struct owner_search *search) {
  return spgc_error_set(search->error, SPGC_ERROR_NO_MEMORY, search->blob->position,
                        "cannot list the owners of records: out of memory");
}

static enum spgc_result list_functions(struct owner_search *search) {
  uint32_t count = search->blob->function_count;
  struct function_extent *extents = spgc_array_append(&search->extents, count);
  if (extents == NULL)
    return no_memory(search);
  for (uint32_t i = 0; i < count; i++)
    extents[i] = (struct function_extent){
        spgc_stackmap_function_at(search->section, search->blob, i).address, i, 0};
  qsort(extents, count, sizeof *extents, compare_addresses);
  for (uint32_t i = 0; i < count; i++)
    extents[i].room = i + 1 < count ? extents[i + 1].address - extents[i].address : UINT64_MAX;
  return SPGC_OK;
}

static enum spgc_result narrow_by_source(struct owner_search *search, uint64_t id,
                                         struct owner_range *range) {
  const struct record_owner_source *source = search->source;
  struct function_extent wanted = {0};
  if (source->function_of != NULL)
    wanted.address = source->function_of(source->context, id, range->offset);
  if (wanted.address == 0)
    return SPGC_OK;
  const struct function_extent *found = bsearch(
      &wanted, search->extents.data, search->extents.count, sizeof *found, compare_addresses);
  if (found == NULL)
    return spgc_error_set(search->error, SPGC_ERROR_INVALID_ARGUMENT, range->position,
                          "the owner given for record %" PRIu64 " at byte %" PRIu64
                          ", a function at %#" PRIx64 ", is not in the list of its map",
                          id, range->position, wanted.address);
  if (range->offset > found->room)
    return spgc_error_set(search->error, SPGC_ERROR_INVALID_ARGUMENT, range->position,
                          "the owner given for record %" PRIu64 " at byte %" PRIu64
                          ", the function at %#" PRIx64
                          ", is wrong: the record is beyond the start of the next function",
                          id, range->position, wanted.address);
  range->first = range->last = found->index;
  search->known++;
  return SPGC_OK;
}

static enum spgc_result list_records(struct owner_search *search, uint64_t position) {
  const struct spgc_stackmap_blob *blob = search->blob;
  struct owner_range *ranges = spgc_array_append(&search->ranges, blob->record_count);
  if (ranges == NULL)
    return no_memory(search);
  for (uint32_t i = 0; i < blob->record_count; i++) {
    struct spgc_stackmap_record record;
    enum spgc_result result =
        spgc_stackmap_read_record(search->section, blob, &position, &record, search->error);
    if (result != SPGC_OK)
      return result;
    ranges[i] = (struct owner_range){record.position, record.instruction_offset, 0,
                                     blob->function_count - 1};
    result = narrow_by_source(search, record.id, &ranges[i]);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

static uint32_t greater(uint32_t a, uint32_t b) {
  return a > b ? a : b;
}

static uint32_t lesser(uint32_t a, uint32_t b) {
  return a < b ? a : b;
}

/* False if none is left. In a pass, the ends move in one direction except for single steps back, so
 * it is linear. */
static bool narrow_by_room(const struct function_extent *extents, struct owner_range *range) {
  while (range->first < range->last && extents[range->first].room < range->offset)
    range->first++;
  while (range->last > range->first && extents[range->last].room < range->offset)
    range->last--;
  return range->first <= range->last && extents[range->first].room >= range->offset;
}

/* The first record belongs to the first function, each next one to the same or the next, the last
 * to the last. A pass from each end narrows every range to what its neighbours allow. */
static bool narrow_by_order(struct owner_search *search) {
  const struct function_extent *extents = search->extents.data;
  struct owner_range *ranges = search->ranges.data;
  uint32_t last = search->blob->function_count - 1;
  size_t count = search->ranges.count;
  for (size_t i = 0; i < count; i++) {
    ranges[i].first = greater(ranges[i].first, i == 0 ? 0 : ranges[i - 1].first);
    ranges[i].last = lesser(ranges[i].last, i == 0 ? 0 : lesser(ranges[i - 1].last + 1, last));
    if (!narrow_by_room(extents, &ranges[i]))
      return false;
  }
  for (size_t i = count; i-- > 0;) {
    uint32_t next_first = i + 1 == count ? last : ranges[i + 1].first;
    uint32_t step = i + 1 == count || next_first == 0 ? 0 : 1;
    ranges[i].first = greater(ranges[i].first, next_first - step);
    ranges[i].last = lesser(ranges[i].last, i + 1 == count ? last : ranges[i + 1].last);
    if (!narrow_by_room(extents, &ranges[i]))
      return false;
  }
  return true;
}

static enum spgc_result settle(struct owner_search *search) {
  if (search->known == search->blob->record_count)
    return SPGC_OK;
  qsort(search->extents.data, search->extents.count, sizeof(struct function_extent),
        compare_indexes);
  if (!narrow_by_order(search))
    return spgc_error_set(search->error, SPGC_ERROR_MALFORMED, search->blob->position,
                          "the records of the version 1 map at byte %" PRIu64
                          " cannot be assigned to its functions in order",
                          search->blob->position);
  const struct owner_range *ranges = search->ranges.data;
  for (size_t i = 0; i < search->ranges.count; i++)
    if (ranges[i].first != ranges[i].last)
      return spgc_error_set(
          search->error, SPGC_ERROR_UNSUPPORTED, ranges[i].position,
          "version 1 does not say to which function the record at byte %" PRIu64
          " belongs, number %" PRIu32 " or %" PRIu32
          "; register the map with a function that knows (spgc_stackmap_register_v1)",
          ranges[i].position, ranges[i].first, ranges[i].last);
  return SPGC_OK;
}

static enum spgc_result copy_owners(const struct owner_search *search, struct array *owners) {
  const struct owner_range *ranges = search->ranges.data;
  uint32_t *owner = spgc_array_append(owners, search->ranges.count);
  if (owner == NULL)
    return no_memory(search);
  for (size_t i = 0; i < search->ranges.count; i++)
    owner[i] = ranges[i].first;
  return SPGC_OK;
}

enum spgc_result spgc_record_owners_find(const struct spgc_stackmap_section *section,
                                         const struct spgc_stackmap_blob *blob, uint64_t position,
                                         const struct record_owner_source *source,
                                         struct array *owners, struct spgc_error *error) {
  struct owner_search search = {.section = section,
                                .blob = blob,
                                .source = source,
                                .extents.element_size = sizeof(struct function_extent),
                                .ranges.element_size = sizeof(struct owner_range),
                                .error = error};
  enum spgc_result result = list_functions(&search);
  if (result == SPGC_OK)
    result = list_records(&search, position);
  if (result == SPGC_OK)
    result = settle(&search);
  if (result == SPGC_OK)
    result = copy_owners(&search, owners);
  spgc_array_free(&search.extents);
  spgc_array_free(&search.ranges);
  return result;
}
