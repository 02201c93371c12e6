/* Untrusted bytes. Check image_holds for a whole structure before reading it. */
#ifndef SPGC_TOOLS_STACKMAP_IMAGE_H
#define SPGC_TOOLS_STACKMAP_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

struct image {
  const unsigned char *bytes;
  uint64_t size;
};

static inline bool image_holds(const struct image *image, uint64_t position, uint64_t size) {
  return position <= image->size && size <= image->size - position;
}

/* `width`: 1 to 8 bytes. */
static inline uint64_t image_number(const struct image *image, uint64_t position, unsigned width,
                                    enum spgc_byte_order order) {
  spgc_require(image_holds(image, position, width),
               "a number of %u bytes at byte %llu of a file of %llu", width,
               (unsigned long long)position, (unsigned long long)image->size);
  uint64_t value = 0;
  for (unsigned i = 0; i < width; i++) {
    unsigned char byte = image->bytes[position + (order == SPGC_BIG_ENDIAN ? i : width - 1 - i)];
    value = value << 8 | byte;
  }
  return value;
}

#endif
