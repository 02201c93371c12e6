/* Unwind tables, also of code made at run time. Nothing here locks, allocates or calls the
 * system. */
#ifndef SPGC_STACKWALK_UNWIND_INFO_H
#define SPGC_STACKWALK_UNWIND_INFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stackwalk/address.h"

/* As in .eh_frame_hdr (Linux Standard Base, exception frames), relative to the table's base. */
struct unwind_entry {
  int32_t start, description;
};

struct unwind_table {
  uintptr_t base;
  uintptr_t code, code_end; /* the covered code, and maybe more */
  const struct unwind_entry *entries;
  size_t count;
};

struct described_function {
  struct function_address start;
  const uint8_t *description; /* an FDE, including the length */
};

/* ThreadSanitizer does not see how libunwind publishes a table, so its reader would seem to race
 * with its writer. */
#define READS_TABLES __attribute__((no_sanitize("thread")))

/* The last function that starts before the address, which may be beyond its end. */
READS_TABLES static inline bool unwind_table_search(const struct unwind_table *table,
                                                    struct return_address address,
                                                    struct described_function *function) {
  int64_t offset = (int64_t)(address.word - 1 - table->base);
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->entries[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return false;
  function->start.word = table->base + (uintptr_t)(intptr_t)table->entries[low - 1].start;
  function->description =
      (const uint8_t *)(table->base + (uintptr_t)(intptr_t)table->entries[low - 1].description);
  return true;
}

#endif
