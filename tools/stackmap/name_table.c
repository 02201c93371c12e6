#include "tools/stackmap/name_table.h"

#include <stdlib.h>

#include "support/fatal.h"

enum spgc_result name_table_add(struct name_table *table, uint64_t key, const char *name,
                                struct spgc_error *error) {
  if (table->count == table->capacity) {
    size_t capacity = table->capacity == 0 ? 64 : 2 * table->capacity;
    struct name_entry *entries = reallocarray(table->entries, capacity, sizeof *entries);
    if (entries == NULL)
      return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                            "cannot list the functions: out of memory");
    table->entries = entries;
    table->capacity = capacity;
  }
  table->entries[table->count++] = (struct name_entry){key, name};
  return SPGC_OK;
}

static int compare(const void *first, const void *second) {
  const struct name_entry *a = first, *b = second;
  return a->key != b->key ? a->key < b->key ? -1 : 1 : 0;
}

void name_table_sort(struct name_table *table) {
  if (table->count != 0)
    qsort(table->entries, table->count, sizeof *table->entries, compare);
}

const char *name_table_find(const struct name_table *table, uint64_t key) {
  const struct name_entry wanted = {.key = key};
  const struct name_entry *found =
      table->count == 0 ? NULL
                        : bsearch(&wanted, table->entries, table->count, sizeof wanted, compare);
  return found == NULL ? NULL : found->name;
}

void name_table_free(struct name_table *table) {
  free(table->entries);
  *table = (struct name_table){0};
}
