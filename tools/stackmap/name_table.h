/* Keys are addresses, or places of addresses in a stack map. */
#ifndef SPGC_TOOLS_STACKMAP_NAME_TABLE_H
#define SPGC_TOOLS_STACKMAP_NAME_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/result.h"

struct name_entry {
  uint64_t key;
  const char *name; /* points into the file */
};

/* Zeroed, it is empty. */
struct name_table {
  struct name_entry *entries; /* from malloc */
  size_t count, capacity;
};

enum spgc_result name_table_add(struct name_table *table, uint64_t key, const char *name,
                                struct spgc_error *error);

/* Called once, between the last addition and the first search. */
void name_table_sort(struct name_table *table);

/* NULL if there is none; any of several. */
const char *name_table_find(const struct name_table *table, uint64_t key);

void name_table_free(struct name_table *table);

#endif
