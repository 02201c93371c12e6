#include "stackwalk/dynamic_code.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stddef.h>

/* As in .eh_frame_hdr (Linux Standard Base, exception frames), but relative to the table's `segbase`. */
struct table_entry {
  int32_t start, description;
};

/* libunwind keeps the list of tables without a lock for readers, and changes it where ThreadSanitizer does not see it:
 * what was written to a table before it was registered would seem to race with what reads it here. */
#define READS_TABLES __attribute__((no_sanitize("thread")))

/* The last entry that starts at `offset` or before. */
READS_TABLES static const struct table_entry *last_until(const struct table_entry *entries, size_t count,
                                                         int64_t offset) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (entries[middle].start <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low != 0 ? &entries[low - 1] : NULL;
}

READS_TABLES static const unw_dyn_info_list_t *list_of_tables(void) {
  unw_word_t list;
  if (unw_get_accessors(unw_local_addr_space)->get_dyn_info_list_addr(unw_local_addr_space, &list, NULL) != 0)
    return NULL;
  return (const unw_dyn_info_list_t *)(uintptr_t)list;
}

/* NULL also when a table was met that is being taken off the list, for then the list ends there. */
READS_TABLES static const unw_dyn_info_t *look_for_table(const unw_dyn_info_list_t *list, uintptr_t instruction) {
  const unw_dyn_info_t *table = __atomic_load_n(&list->first, __ATOMIC_ACQUIRE);
  while (table != NULL && instruction - table->start_ip >= table->end_ip - table->start_ip)
    table = __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
  return table;
}

/* Changes are made one at a time, and each first counts the generation on, then takes a table off, then clears what it
 * leads to. So what was missed twice in one generation is not there: the second search does not meet the table that may
 * have misled the first. */
READS_TABLES static const unw_dyn_info_t *find_table(uintptr_t instruction) {
  const unw_dyn_info_list_t *list = list_of_tables();
  uint32_t generation, before = 0;
  if (list == NULL)
    return NULL;
  for (bool again = false;; again = true, before = generation) {
    generation = __atomic_load_n(&list->generation, __ATOMIC_ACQUIRE);
    const unw_dyn_info_t *table = look_for_table(list, instruction);
    if (table != NULL)
      return table;
    if (again && generation == before && generation == __atomic_load_n(&list->generation, __ATOMIC_ACQUIRE))
      return NULL;
  }
}

READS_TABLES bool spgc_dynamic_code_find(struct return_address address, struct dynamic_function *function) {
  uintptr_t instruction = address.word - 1;
  const unw_dyn_info_t *table = find_table(instruction);
  if (table == NULL || table->format != UNW_INFO_FORMAT_REMOTE_TABLE)
    return false;
  uintptr_t base = (uintptr_t)table->u.rti.segbase;
  const struct table_entry *entry =
      last_until((const struct table_entry *)(uintptr_t)table->u.rti.table_data,
                 (size_t)table->u.rti.table_len * sizeof(unw_word_t) / sizeof *entry, (int64_t)(instruction - base));
  if (entry == NULL)
    return false;
  function->start.word = base + (uintptr_t)(intptr_t)entry->start;
  function->description = (const uint8_t *)(base + (uintptr_t)(intptr_t)entry->description);
  return true;
}
