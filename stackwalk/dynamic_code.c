#include "stackwalk/dynamic_code.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>
#include <stddef.h>

extern unw_word_t _U_dyn_info_list_addr(void);

static const uintptr_t REACH = UINT64_C(1) << 31;

READS_TABLES static const unw_dyn_info_list_t *list_of_tables(void) {
  return (const unw_dyn_info_list_t *)(uintptr_t)_U_dyn_info_list_addr();
}

/* Also NULL if the search met a table that is being removed, because the list ends there. */
READS_TABLES static const unw_dyn_info_t *look_for_table(const unw_dyn_info_list_t *list,
                                                         uintptr_t instruction) {
  const unw_dyn_info_t *table = __atomic_load_n(&list->first, __ATOMIC_ACQUIRE);
  while (table != NULL && instruction - table->start_ip >= table->end_ip - table->start_ip)
    table = __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
  return table;
}

/* Each change increments the generation, removes a table, then clears its contents. So a table
 * missed by two searches in one generation does not exist: the second does not meet the one that
 * ended the first. */
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
    if (again && generation == before &&
        generation == __atomic_load_n(&list->generation, __ATOMIC_ACQUIRE))
      return NULL;
  }
}

READS_TABLES bool spgc_dynamic_code_find(struct return_address address,
                                         struct unwind_table *found) {
  const unw_dyn_info_t *table = find_table(address.word - 1);
  if (table == NULL || table->format != UNW_INFO_FORMAT_REMOTE_TABLE)
    return false;
  *found = (struct unwind_table){
      .base = (uintptr_t)table->u.rti.segbase,
      .code = (uintptr_t)table->start_ip,
      .code_end = (uintptr_t)table->end_ip,
      .entries = (const struct unwind_entry *)(uintptr_t)table->u.rti.table_data,
      .count = (size_t)table->u.rti.table_len * sizeof(unw_word_t) / sizeof(struct unwind_entry),
  };
  return true;
}

READS_TABLES static bool reaches(const unw_dyn_info_t *table, uintptr_t address) {
  return address - ((uintptr_t)table->u.rti.segbase - REACH) < 2 * REACH ||
         address - (uintptr_t)table->u.rti.table_data <
             (uintptr_t)table->u.rti.table_len * sizeof(unw_word_t);
}

READS_TABLES bool spgc_dynamic_code_reaches(uintptr_t address) {
  const unw_dyn_info_list_t *list = list_of_tables();
  const unw_dyn_info_t *table =
      list != NULL ? __atomic_load_n(&list->first, __ATOMIC_ACQUIRE) : NULL;
  while (table != NULL && !reaches(table, address))
    table = __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
  return table != NULL;
}
