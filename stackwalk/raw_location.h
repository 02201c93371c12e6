/* A location of a record that was read and checked: what spgc_stackmap_location_at does, without checking again. Most
 * maps are of version 3 and in the machine's byte order, and registration reads little else than locations. */
#ifndef SPGC_STACKWALK_RAW_LOCATION_H
#define SPGC_STACKWALK_RAW_LOCATION_H

#include "stackwalk/reader.h"

/* Version 3. */
struct raw_location {
  uint8_t kind, zero;
  uint16_t size, reg, zeros;
  int32_t offset;
};

_Static_assert(sizeof(struct raw_location) == 12, "locations of version 3 have 12 bytes");

static inline bool locations_are_raw(const struct spgc_stackmap_section *section,
                                     const struct spgc_stackmap_blob *blob) {
  return blob->version == 3 && !byte_order_is_foreign(section->byte_order);
}

/* Some of a record's raw locations, from `first` on. */
static inline void raw_locations_copy(struct raw_location *to, uint32_t count,
                                      const struct spgc_stackmap_section *section,
                                      const struct spgc_stackmap_record *record, uint32_t first) {
  const unsigned char *bytes = section->bytes;
  memcpy(to, bytes + record->locations + (uint64_t)first * sizeof *to, count * sizeof *to);
}

/* `index` must be less than the record's location count. */
static inline struct spgc_stackmap_location checked_location(const struct spgc_stackmap_section *section,
                                                             const struct spgc_stackmap_blob *blob,
                                                             const struct spgc_stackmap_record *record,
                                                             uint32_t index) {
  if (__builtin_expect(!locations_are_raw(section, blob), false))
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

#endif
