/* A map that LLVM wrote, said again in another version of the format. */
#ifndef SPGC_TESTS_STACKMAP_REENCODE_H
#define SPGC_TESTS_STACKMAP_REENCODE_H

#include <stddef.h>
#include <stdint.h>

#include "tests/support/stackmap_builder.h"

/* Freed by stackmap_reencoded_free. */
struct stackmap_reencoded {
  struct stackmap_builder section;
  uint64_t *owners; /* addresses of the functions that records belong to; a record's ID is its index
                       here */
  size_t owner_count;
};

/* From a section of version 3 that lives in this process, relocated, to `version`, in which each
 * function's records come last first. Live-outs are kept in number only. */
void stackmap_reencode(const void *section, size_t size, uint8_t version,
                       struct stackmap_reencoded *reencoded);

/* A spgc_stackmap_function_of; `context` is the struct stackmap_reencoded. */
uint64_t stackmap_reencoded_owner(void *context, uint64_t id, uint32_t instruction_offset);

void stackmap_reencoded_free(struct stackmap_reencoded *reencoded);

#endif
