/* How long one stack map is. Format: https://llvm.org/docs/StackMaps.html#stack-map-format, version 3; what the map
 * means is the stack walker's business. */
#include <string.h>

#include "gc/modules.h"
#include "support/fatal.h"

enum {
  VERSION = 3,
  HEADER_BYTES = 16,
  FUNCTION_BYTES = 24,
  CONSTANT_BYTES = 8,
  RECORD_HEAD_BYTES = 16,
  LOCATION_COUNT_AT = 14, /* in a record's head */
  LOCATION_BYTES = 12,
  LIVE_OUT_HEAD_BYTES = 4,
  LIVE_OUT_COUNT_AT = 2,
  LIVE_OUT_BYTES = 4,
  ALIGNMENT = 8,
};

struct cursor {
  const unsigned char *bytes;
  size_t size, position;
};

/* Passes over `count` items of `bytes` each, padded to `alignment`. False when they reach beyond the end. */
static bool skip(struct cursor *cursor, uint64_t count, size_t bytes, size_t alignment) {
  size_t room = cursor->size - cursor->position;
  if (count > room / bytes)
    return false;
  size_t position = cursor->position + (size_t)count * bytes;
  size_t padding = (alignment - position % alignment) % alignment;
  if (padding > cursor->size - position)
    return false;
  cursor->position = position + padding;
  return true;
}

static uint32_t read_u32(const struct cursor *cursor, size_t at) {
  uint32_t value;
  memcpy(&value, cursor->bytes + at, sizeof value);
  return value;
}

static uint16_t read_u16(const struct cursor *cursor, size_t at) {
  uint16_t value;
  memcpy(&value, cursor->bytes + at, sizeof value);
  return value;
}

static bool skip_record(struct cursor *cursor) {
  size_t start = cursor->position;
  if (!skip(cursor, 1, RECORD_HEAD_BYTES, 1) ||
      !skip(cursor, read_u16(cursor, start + LOCATION_COUNT_AT), LOCATION_BYTES, ALIGNMENT))
    return false;
  size_t live_outs = cursor->position;
  return skip(cursor, 1, LIVE_OUT_HEAD_BYTES, 1) &&
         skip(cursor, read_u16(cursor, live_outs + LIVE_OUT_COUNT_AT), LIVE_OUT_BYTES, ALIGNMENT);
}

enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent, struct spgc_error *error) {
  struct cursor cursor = {start, size, 0};
  if (!skip(&cursor, 1, HEADER_BYTES, 1))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "the stack map's header reaches beyond its segment");
  if (cursor.bytes[0] != VERSION)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "stack map version %u in a module that gives no size",
                          cursor.bytes[0]);
  uint32_t functions = read_u32(&cursor, 4), constants = read_u32(&cursor, 8), records = read_u32(&cursor, 12);
  if (!skip(&cursor, functions, FUNCTION_BYTES, 1) || !skip(&cursor, constants, CONSTANT_BYTES, 1))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, cursor.position,
                          "the stack map's functions or constants reach beyond its segment");
  for (uint32_t i = 0; i < records; i++)
    if (!skip_record(&cursor))
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, cursor.position,
                            "the stack map's record %u reaches beyond its segment", i);
  *extent = cursor.position;
  return SPGC_OK;
}
