#include <inttypes.h>

#include "spgc/stackmap_reader.h"
#include "stackwalk/item_sizes.h"
#include "stackwalk/reader.h"
#include "support/fatal.h"

struct spgc_stackmap_function spgc_stackmap_function_at(const struct spgc_stackmap_section *section,
                                                        const struct spgc_stackmap_blob *blob,
                                                        uint32_t index) {
  spgc_require_use(section != NULL && blob != NULL, "no section or no blob is given");
  struct spgc_stackmap_function function = {.position = blob->functions +
                                                        index * stackmap_function_size(blob)};
  struct reader reader = {section, function.position};
  bool read = index < blob->function_count && reader_u64(&reader, &function.address) &&
              reader_u64(&reader, &function.stack_size) &&
              (blob->version == 1 || reader_u64(&reader, &function.record_count));
  spgc_require_use(read, "function %" PRIu32 " of %" PRIu32 " is outside its stack map", index,
                   blob->function_count);
  return function;
}

uint64_t spgc_stackmap_constant_at(const struct spgc_stackmap_section *section,
                                   const struct spgc_stackmap_blob *blob, uint32_t index) {
  uint64_t value = 0;
  spgc_require_use(section != NULL && blob != NULL, "no section or no blob is given");
  struct reader reader = {section, blob->constants + (uint64_t)index * STACKMAP_CONSTANT_SIZE};
  bool read = index < blob->constant_count && reader_u64(&reader, &value);
  spgc_require_use(read, "constant %" PRIu32 " of %" PRIu32 " is outside its stack map", index,
                   blob->constant_count);
  return value;
}

/* location (v3)     := u8 kind, u8 reserved, u16 size, u16 register, u16 reserved, i32 offset
 * location (v1, v2) := u8 kind, u8 size, u16 register, i32 offset */
static bool read_location(struct reader *reader, const struct spgc_stackmap_blob *blob,
                          struct spgc_stackmap_location *location) {
  uint8_t kind, narrow_size;
  uint16_t reserved;
  uint32_t offset;
  location->position = reader->position;
  if (!reader_u8(reader, &kind) || !reader_u8(reader, &narrow_size))
    return false;
  location->size = narrow_size;
  if (blob->version >= 3 && !reader_u16(reader, &location->size))
    return false;
  if (!reader_u16(reader, &location->reg) ||
      (blob->version >= 3 && !reader_u16(reader, &reserved)) || !reader_u32(reader, &offset))
    return false;
  location->kind = (enum spgc_location_kind)kind;
  location->offset = (int32_t)offset;
  return true;
}

struct spgc_stackmap_location spgc_stackmap_location_at(const struct spgc_stackmap_section *section,
                                                        const struct spgc_stackmap_blob *blob,
                                                        const struct spgc_stackmap_record *record,
                                                        uint32_t index) {
  struct spgc_stackmap_location location = {0};
  spgc_require_use(section != NULL && blob != NULL && record != NULL,
                   "no section, no blob or no record is given");
  struct reader reader = {section, record->locations + index * stackmap_location_size(blob)};
  bool read = index < record->location_count && read_location(&reader, blob, &location);
  spgc_require_use(read, "location %" PRIu32 " of %u is outside its record", index,
                   record->location_count);
  return location;
}

struct spgc_stackmap_live_out spgc_stackmap_live_out_at(const struct spgc_stackmap_section *section,
                                                        const struct spgc_stackmap_record *record,
                                                        uint32_t index) {
  struct spgc_stackmap_live_out live_out = {0};
  uint8_t reserved;
  spgc_require_use(section != NULL && record != NULL, "no section or no record is given");
  struct reader reader = {section, record->live_outs + (uint64_t)index * STACKMAP_LIVE_OUT_SIZE};
  bool read = index < record->live_out_count && reader_u16(&reader, &live_out.reg) &&
              reader_u8(&reader, &reserved) && reader_u8(&reader, &live_out.size);
  spgc_require_use(read, "live-out %" PRIu32 " of %u is outside its record", index,
                   record->live_out_count);
  return live_out;
}
