/* A bounded reader over untrusted bytes.
 *
 * Invariant: position <= size. A read either succeeds and advances by the width read, or fails and changes nothing.
 */
#ifndef SPGC_STACKWALK_READER_H
#define SPGC_STACKWALK_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

struct reader {
  const unsigned char *bytes;
  uint64_t size;
  uint64_t position; /* offset of the next byte, counted from the start of the section */
};

static inline uint64_t reader_remaining(const struct reader *reader) {
  return reader->size - reader->position;
}

static inline bool reader_skip(struct reader *reader, uint64_t width) {
  if (width > reader_remaining(reader))
    return false;
  reader->position += width;
  return true;
}

static inline bool reader_read(struct reader *reader, void *value, uint64_t width) {
  if (width > reader_remaining(reader))
    return false;
  memcpy(value, reader->bytes + reader->position, width);
  reader->position += width;
  return true;
}

static inline bool reader_u16(struct reader *reader, uint16_t *value) {
  return reader_read(reader, value, sizeof *value);
}

static inline bool reader_u32(struct reader *reader, uint32_t *value) {
  return reader_read(reader, value, sizeof *value);
}

static inline bool reader_u64(struct reader *reader, uint64_t *value) {
  return reader_read(reader, value, sizeof *value);
}

/* Advances to the next multiple of `alignment` (a power of two) from the start of the section. */
static inline bool reader_align(struct reader *reader, uint64_t alignment) {
  return reader_skip(reader, (0 - reader->position) & (alignment - 1));
}

#endif
