#include "stackwalk/address_table.h"

#include <stdlib.h>

enum { FIRST_LOGARITHM = 6, CACHE_LINE = 64 };

static bool create(struct address_table *table, unsigned logarithm, size_t entry_size) {
  size_t size;
  if (__builtin_mul_overflow((size_t)1 << logarithm, entry_size, &size))
    return false;
  unsigned char *entries = aligned_alloc(CACHE_LINE, size);
  if (entries == NULL)
    return false;
  memset(entries, 0, size);
  *table = (struct address_table){.entries = entries, .mask = ((size_t)1 << logarithm) - 1, .shift = 64 - logarithm};
  return true;
}

static void copy_entries(struct address_table *to, const struct address_table *from, size_t entry_size) {
  for (size_t i = 0; from->entries != NULL && i <= from->mask; i++) {
    const unsigned char *entry = from->entries + i * entry_size;
    uintptr_t key = address_table_key(entry);
    if (key != 0)
      memcpy(spgc_address_table_insert(to, key, entry_size), entry, entry_size);
  }
}

bool spgc_address_table_reserve(struct address_table *table, size_t more, size_t entry_size) {
  size_t needed = table->count + more;
  unsigned logarithm = table->entries == NULL ? FIRST_LOGARITHM : 64 - table->shift;
  while (((size_t)1 << logarithm) / 2 < needed)
    logarithm++;
  if (table->entries != NULL && logarithm == 64 - table->shift)
    return true;
  struct address_table larger;
  if (!create(&larger, logarithm, entry_size))
    return false;
  copy_entries(&larger, table, entry_size);
  free(table->entries);
  *table = larger;
  return true;
}

void *spgc_address_table_insert(struct address_table *table, uintptr_t key, size_t entry_size) {
  void *entry = address_table_probe(table, key, entry_size);
  if (address_table_key(entry) == 0) {
    memcpy(entry, &key, sizeof key);
    table->count++;
  }
  return entry;
}

/* Moves back every later entry of the run that could not be found past the gap. */
void spgc_address_table_erase(struct address_table *table, void *entry, size_t entry_size) {
  unsigned char *gap = entry;
  size_t gap_index = (size_t)(gap - table->entries) / entry_size;
  for (size_t index = (gap_index + 1) & table->mask;; index = (index + 1) & table->mask) {
    unsigned char *next = table->entries + index * entry_size;
    uintptr_t key = address_table_key(next);
    if (key == 0)
      break;
    size_t home = address_table_home(table, key);
    if (((index - home) & table->mask) < ((index - gap_index) & table->mask))
      continue;
    memcpy(gap, next, entry_size);
    gap = next;
    gap_index = index;
  }
  memset(gap, 0, entry_size);
  table->count--;
}
