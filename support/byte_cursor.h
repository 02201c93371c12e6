/* Reads DWARF's unwind information, in the machine's byte order.
 *
 * Invariant: after a read beyond `end`, `failed` is set, and every read returns 0. */
#ifndef SPGC_SUPPORT_BYTE_CURSOR_H
#define SPGC_SUPPORT_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_cursor {
  const uint8_t *at, *end;
  bool failed;
};

static inline bool cursor_take(struct byte_cursor *cursor, void *to, size_t length) {
  if (cursor->failed || (size_t)(cursor->end - cursor->at) < length) {
    cursor->failed = true;
    memset(to, 0, length);
    return false;
  }
  memcpy(to, cursor->at, length);
  cursor->at += length;
  return true;
}

static inline void cursor_skip(struct byte_cursor *cursor, uint64_t length) {
  if (cursor->failed || (uint64_t)(cursor->end - cursor->at) < length)
    cursor->failed = true;
  else
    cursor->at += length;
}

static inline uint8_t cursor_u8(struct byte_cursor *cursor) {
  uint8_t value;
  cursor_take(cursor, &value, sizeof value);
  return value;
}

static inline uint16_t cursor_u16(struct byte_cursor *cursor) {
  uint16_t value;
  cursor_take(cursor, &value, sizeof value);
  return value;
}

static inline uint32_t cursor_u32(struct byte_cursor *cursor) {
  uint32_t value;
  cursor_take(cursor, &value, sizeof value);
  return value;
}

/* ULEB128; SLEB128 with `extends`. A number of more than 64 bits fails. */
static inline uint64_t cursor_leb128(struct byte_cursor *cursor, bool extends) {
  uint64_t value = 0;
  unsigned shift = 0;
  uint8_t byte;
  do {
    byte = cursor_u8(cursor);
    cursor->failed |= shift >= 64;
    if (cursor->failed)
      return 0;
    value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return extends && (byte & 0x40) != 0 && shift < 64 ? value | ~UINT64_C(0) << shift : value;
}

static inline uint64_t cursor_unsigned(struct byte_cursor *cursor) {
  return cursor_leb128(cursor, false);
}

static inline int64_t cursor_signed(struct byte_cursor *cursor) {
  return (int64_t)cursor_leb128(cursor, true);
}

#endif
