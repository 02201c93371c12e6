/* Items of a version 3 map in the machine's byte order, which spgc/stackmap_reader.h has checked.
 */
#ifndef SPGC_STACKWALK_RAW_ITEMS_H
#define SPGC_STACKWALK_RAW_ITEMS_H

#include "stackwalk/reader.h"

static inline bool items_are_raw(const struct spgc_stackmap_section *section,
                                 const struct spgc_stackmap_blob *blob) {
  return blob->version == 3 && !byte_order_is_foreign(section->byte_order);
}

struct raw_function {
  uint64_t address, stack_size, record_count;
};

_Static_assert(sizeof(struct raw_function) == 24, "functions of version 3 have 24 bytes");

/* `index` is below the blob's function count. */
static inline struct spgc_stackmap_function
checked_function(const struct spgc_stackmap_section *section, const struct spgc_stackmap_blob *blob,
                 uint32_t index) {
  if (__builtin_expect(!items_are_raw(section, blob), false))
    return spgc_stackmap_function_at(section, blob, index);
  uint64_t position = blob->functions + (uint64_t)index * sizeof(struct raw_function);
  struct raw_function raw;
  memcpy(&raw, section->bytes + position, sizeof raw);
  return (struct spgc_stackmap_function){position, raw.address, raw.stack_size, raw.record_count};
}

struct raw_location {
  uint8_t kind, zero;
  uint16_t size, reg, zeros;
  int32_t offset;
};

_Static_assert(sizeof(struct raw_location) == 12, "locations of version 3 have 12 bytes");

/* From number `first`. */
static inline void raw_locations_copy(struct raw_location *to, uint32_t count,
                                      const struct spgc_stackmap_section *section,
                                      const struct spgc_stackmap_record *record, uint32_t first) {
  const unsigned char *bytes = section->bytes;
  memcpy(to, bytes + record->locations + (uint64_t)first * sizeof *to, count * sizeof *to);
}

/* `index` is below the record's location count. */
static inline struct spgc_stackmap_location
checked_location(const struct spgc_stackmap_section *section, const struct spgc_stackmap_blob *blob,
                 const struct spgc_stackmap_record *record, uint32_t index) {
  if (__builtin_expect(!items_are_raw(section, blob), false))
    return spgc_stackmap_location_at(section, blob, record, index);
  uint64_t position = record->locations + (uint64_t)index * sizeof(struct raw_location);
  struct raw_location raw;
  memcpy(&raw, section->bytes + position, sizeof raw);
  return (struct spgc_stackmap_location){.position = position,
                                         .kind = (enum spgc_location_kind)raw.kind,
                                         .size = raw.size,
                                         .reg = raw.reg,
                                         .offset = raw.offset};
}

struct raw_record {
  uint64_t id;
  uint32_t instruction_offset;
  uint16_t flags, location_count;
};

_Static_assert(sizeof(struct raw_record) == 16, "records of version 3 start with 16 bytes");

/* Advances *position, which is in the section. False if the record is not. */
static inline bool raw_record_find(const struct spgc_stackmap_section *section, uint64_t *position,
                                   struct spgc_stackmap_record *record) {
  const uint64_t alignment = 8, live_out_size = 4;
  const unsigned char *bytes = section->bytes;
  const uint64_t start = *position, locations = start + sizeof(struct raw_record);
  struct raw_record raw;
  if (section->size - start < sizeof raw)
    return false;
  memcpy(&raw, bytes + start, sizeof raw);
  const uint64_t padding =
      (locations + raw.location_count * sizeof(struct raw_location) + alignment - 1) & -alignment;
  uint16_t counts[2]; /* padding, live-outs */
  if (padding + sizeof counts > section->size)
    return false;
  memcpy(counts, bytes + padding, sizeof counts);
  const uint64_t live_outs = padding + sizeof counts;
  const uint64_t end = (live_outs + counts[1] * live_out_size + alignment - 1) & -alignment;
  if (end > section->size)
    return false;
  *record = (struct spgc_stackmap_record){.position = start,
                                          .id = raw.id,
                                          .locations = locations,
                                          .live_outs = live_outs,
                                          .instruction_offset = raw.instruction_offset,
                                          .flags = raw.flags,
                                          .location_count = raw.location_count,
                                          .live_out_count = counts[1]};
  *position = end;
  return true;
}

#endif
