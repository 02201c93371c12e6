/* Untrusted bytes, in either byte order. Invariant: position <= size. A read that fails changes
 * nothing. */
#ifndef SPGC_STACKWALK_READER_H
#define SPGC_STACKWALK_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "spgc/stackmap_reader.h"

struct reader {
  const struct spgc_stackmap_section *section;
  uint64_t position; /* a byte of the section */
};

static inline bool byte_order_is_foreign(enum spgc_byte_order order) {
  return (order == SPGC_BIG_ENDIAN) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

static inline uint64_t reader_remaining(const struct reader *reader) {
  return reader->section->size - reader->position;
}

static inline bool reader_skip(struct reader *reader, uint64_t width) {
  if (width > reader_remaining(reader))
    return false;
  reader->position += width;
  return true;
}

static inline bool reader_bytes(struct reader *reader, void *value, uint64_t width) {
  if (width > reader_remaining(reader))
    return false;
  memcpy(value, reader->section->bytes + reader->position, width);
  reader->position += width;
  return true;
}

static inline bool reader_u8(struct reader *reader, uint8_t *value) {
  return reader_bytes(reader, value, sizeof *value);
}

static inline bool reader_u16(struct reader *reader, uint16_t *value) {
  if (!reader_bytes(reader, value, sizeof *value))
    return false;
  if (byte_order_is_foreign(reader->section->byte_order))
    *value = __builtin_bswap16(*value);
  return true;
}

static inline bool reader_u32(struct reader *reader, uint32_t *value) {
  if (!reader_bytes(reader, value, sizeof *value))
    return false;
  if (byte_order_is_foreign(reader->section->byte_order))
    *value = __builtin_bswap32(*value);
  return true;
}

static inline bool reader_u64(struct reader *reader, uint64_t *value) {
  if (!reader_bytes(reader, value, sizeof *value))
    return false;
  if (byte_order_is_foreign(reader->section->byte_order))
    *value = __builtin_bswap64(*value);
  return true;
}

static inline bool reader_align(struct reader *reader, uint64_t alignment) {
  return reader_skip(reader, (0 - reader->position) & (alignment - 1));
}

#endif
