#include "spgc/stackmap_reader.h"

#include <inttypes.h>

#include "stackwalk/item_sizes.h"
#include "stackwalk/raw_items.h"
#include "stackwalk/reader.h"
#include "support/fatal.h"

enum {
  BLOB_ALIGNMENT = 8,
  RECORD_SIZE_LEAST = 24, /* without locations and live-outs */
};

static enum spgc_result truncated(const struct reader *reader, const char *what,
                                  struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, reader->position,
                        "the section ends inside %s at byte %" PRIu64, what, reader->position);
}

/* A blob never starts with eight zero bytes, because its version is not 0. */
static bool skip_padding(struct reader *reader) {
  uint64_t width =
      reader_remaining(reader) < BLOB_ALIGNMENT ? reader_remaining(reader) : BLOB_ALIGNMENT;
  uint64_t word = 0;
  struct reader ahead = *reader;
  if (!reader_bytes(&ahead, &word, width) || word != 0)
    return false;
  *reader = ahead;
  return true;
}

/* header := u8 version, u8 0, u16 0, u32 functions, u32 constants, u32 records */
static enum spgc_result read_header(struct reader *reader, struct spgc_stackmap_blob *blob,
                                    struct spgc_error *error) {
  uint8_t reserved_byte;
  uint16_t reserved_half;
  blob->position = reader->position;
  if (!reader_u8(reader, &blob->version) || !reader_u8(reader, &reserved_byte) ||
      !reader_u16(reader, &reserved_half))
    return truncated(reader, "a header", error);
  if (reserved_byte != 0 || reserved_half != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, blob->position,
                          "no stack map header at byte %" PRIu64 ": reserved bytes are not 0",
                          blob->position);
  if (blob->version < SPGC_STACKMAP_VERSION_MIN || blob->version > SPGC_STACKMAP_VERSION_MAX)
    return spgc_error_set(
        error, SPGC_ERROR_UNSUPPORTED, blob->position,
        "stack map version %u at byte %" PRIu64 "; versions %d to %d are supported", blob->version,
        blob->position, SPGC_STACKMAP_VERSION_MIN, SPGC_STACKMAP_VERSION_MAX);
  if (!reader_u32(reader, &blob->function_count) || !reader_u32(reader, &blob->constant_count) ||
      !reader_u32(reader, &blob->record_count))
    return truncated(reader, "a header", error);
  return SPGC_OK;
}

/* Rejects a count too large for the section. */
static enum spgc_result skip_tables(struct reader *reader, struct spgc_stackmap_blob *blob,
                                    struct spgc_error *error) {
  blob->functions = reader->position;
  if (!reader_skip(reader, blob->function_count * stackmap_function_size(blob)))
    return truncated(reader, "the functions", error);
  blob->constants = reader->position;
  if (!reader_skip(reader, (uint64_t)blob->constant_count * STACKMAP_CONSTANT_SIZE))
    return truncated(reader, "the constants", error);
  blob->records = reader->position;
  if (blob->record_count > reader_remaining(reader) / RECORD_SIZE_LEAST)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, reader->position,
                          "%" PRIu32 " records do not fit into the %" PRIu64
                          " bytes after byte %" PRIu64,
                          blob->record_count, reader_remaining(reader), reader->position);
  return SPGC_OK;
}

/* Version 1 does not give a record's function, but there must be one. */
static enum spgc_result check_record_counts(const struct spgc_stackmap_section *section,
                                            const struct spgc_stackmap_blob *blob,
                                            struct spgc_error *error) {
  uint64_t left = blob->record_count;
  if (blob->version == 1 && blob->function_count > 0)
    return SPGC_OK;
  for (uint32_t i = 0; i < blob->function_count; i++) {
    struct spgc_stackmap_function function = checked_function(section, blob, i);
    if (function.record_count > left)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, function.position,
                            "the function at byte %" PRIu64 " claims %" PRIu64 " records, %" PRIu64
                            " are left",
                            function.position, function.record_count, left);
    left -= function.record_count;
  }
  if (left != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, blob->records,
                          "%" PRIu64 " of the %" PRIu32 " records after byte %" PRIu64
                          " belong to no function",
                          left, blob->record_count, blob->records);
  return SPGC_OK;
}

static void require_place(const char *call, const struct spgc_stackmap_section *section,
                          const uint64_t *position) {
  spgc_require(section != NULL && position != NULL, "%s: no section or no position is given", call);
  spgc_require(section->bytes != NULL || section->size == 0,
               "%s: the section's %" PRIu64 " bytes are at null", call, section->size);
  spgc_require(*position <= section->size,
               "%s: position %" PRIu64 " is outside the section of %" PRIu64 " bytes", call,
               *position, section->size);
}

enum spgc_result spgc_stackmap_read_blob(const struct spgc_stackmap_section *section,
                                         uint64_t *position, struct spgc_stackmap_blob *blob,
                                         struct spgc_error *error) {
  require_place(__func__, section, position);
  spgc_require_use(blob != NULL, "no structure for the blob is given");
  *blob = (struct spgc_stackmap_blob){0};
  struct reader reader = {section, *position};
  while (reader_remaining(&reader) > 0 && skip_padding(&reader))
    ;
  enum spgc_result result = SPGC_OK;
  if (reader_remaining(&reader) > 0) {
    result = read_header(&reader, blob, error);
    if (result == SPGC_OK)
      result = skip_tables(&reader, blob, error);
    if (result == SPGC_OK)
      result = check_record_counts(section, blob, error);
  }
  if (result == SPGC_OK)
    *position = reader.position;
  return result;
}

static inline enum spgc_result check_location(const struct spgc_stackmap_blob *blob,
                                              const struct spgc_stackmap_location *location,
                                              struct spgc_error *error) {
  if (location->kind < SPGC_LOCATION_REGISTER || location->kind > SPGC_LOCATION_CONSTANT_INDEX)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, location->position,
                          "unknown location kind %u at byte %" PRIu64, (unsigned)location->kind,
                          location->position);
  if (location->kind == SPGC_LOCATION_CONSTANT_INDEX &&
      (uint32_t)location->offset >= blob->constant_count)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, location->position,
                          "constant %" PRIu32 " of a pool of %" PRIu32 " at byte %" PRIu64,
                          (uint32_t)location->offset, blob->constant_count, location->position);
  return SPGC_OK;
}

static enum spgc_result check_locations(const struct spgc_stackmap_section *section,
                                        const struct spgc_stackmap_blob *blob,
                                        const struct spgc_stackmap_record *record,
                                        struct spgc_error *error) {
  for (unsigned i = 0; i < record->location_count; i++) {
    struct spgc_stackmap_location location = checked_location(section, blob, record, i);
    enum spgc_result result = check_location(blob, &location, error);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

/* Valid, and without the index of a constant, which would have to be checked. */
static inline bool kind_is_right(uint8_t kind) {
  return kind >= SPGC_LOCATION_REGISTER && kind < SPGC_LOCATION_CONSTANT_INDEX;
}

static inline bool raw_kinds_are_right(const struct spgc_stackmap_section *section,
                                       const struct spgc_stackmap_record *record) {
  const uint8_t *kinds = (const uint8_t *)section->bytes + record->locations;
  const uint8_t *end = kinds + record->location_count * sizeof(struct raw_location);
  for (; kinds != end; kinds += sizeof(struct raw_location))
    if (!kind_is_right(*kinds))
      return false;
  return true;
}

static bool read_record_head(struct reader *reader, struct spgc_stackmap_record *record) {
  return reader_u64(reader, &record->id) && reader_u32(reader, &record->instruction_offset) &&
         reader_u16(reader, &record->flags) && reader_u16(reader, &record->location_count);
}

/* record := u64 id, u32 offset, u16 flags, u16 locations { location } align 8, u16 padding, u16
 * live-outs { live-out } align 8 */
static enum spgc_result find_record(const struct spgc_stackmap_section *section,
                                    const struct spgc_stackmap_blob *blob, uint64_t *position,
                                    struct spgc_stackmap_record *record, struct spgc_error *error) {
  struct reader reader = {section, *position};
  uint16_t padding;
  *record = (struct spgc_stackmap_record){.position = *position};
  if (!read_record_head(&reader, record))
    return truncated(&reader, "a record", error);
  record->locations = reader.position;
  if (!reader_skip(&reader, record->location_count * stackmap_location_size(blob)))
    return truncated(&reader, "the locations of a record", error);
  if (!reader_align(&reader, BLOB_ALIGNMENT) || !reader_u16(&reader, &padding) ||
      !reader_u16(&reader, &record->live_out_count))
    return truncated(&reader, "the live-outs of a record", error);
  record->live_outs = reader.position;
  if (!reader_skip(&reader, (uint64_t)record->live_out_count * STACKMAP_LIVE_OUT_SIZE) ||
      !reader_align(&reader, BLOB_ALIGNMENT))
    return truncated(&reader, "the live-outs of a record", error);
  *position = reader.position;
  return SPGC_OK;
}

enum spgc_result spgc_stackmap_read_record(const struct spgc_stackmap_section *section,
                                           const struct spgc_stackmap_blob *blob,
                                           uint64_t *position, struct spgc_stackmap_record *record,
                                           struct spgc_error *error) {
  require_place(__func__, section, position);
  spgc_require_use(blob != NULL && record != NULL, "no blob or no structure for a record is given");
  if (items_are_raw(section, blob) && raw_record_find(section, position, record)) {
    if (raw_kinds_are_right(section, record))
      return SPGC_OK;
  } else {
    enum spgc_result result = find_record(section, blob, position, record, error);
    if (result != SPGC_OK)
      return result;
  }
  enum spgc_result result = check_locations(section, blob, record, error);
  if (result != SPGC_OK)
    *position = record->position;
  return result;
}
