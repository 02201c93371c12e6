#ifndef SPGC_TESTS_STACKMAP_REENCODE_H
#define SPGC_TESTS_STACKMAP_REENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "tests/support/stackmap_builder.h"

struct stackmap_reencoded {
  struct stackmap_builder section;
  uint64_t *owners; /* functions' addresses by their records' IDs */
  size_t owner_count;
};

/* From a relocated section of version 3, with each function's records in reverse order. Of
 * live-outs only the number is kept. */
void stackmap_reencode(const void *section, size_t size, uint8_t version,
                       struct stackmap_reencoded *reencoded);

uint64_t stackmap_reencoded_owner(void *context, uint64_t id, uint32_t instruction_offset);

void stackmap_reencoded_free(struct stackmap_reencoded *reencoded);

#endif
