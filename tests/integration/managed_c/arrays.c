/* Interior pointers live across safepoints; structures copied whole. */
#include "spgc/managed.h"

struct numbers {
  const struct spgc_type *type;
  uint64_t length;
  long at[];
};

struct entry {
  struct numbers SPGC_MANAGED *row;
  long weight;
};

struct table {
  const struct spgc_type *type;
  uint64_t length;
  struct entry at[];
};

static const struct spgc_type numbers_type = {.size = sizeof(struct numbers),
                                              .element_size = sizeof(long),
                                              .flags = SPGC_TYPE_TAIL,
                                              .name = "numbers"};

static const uint32_t entry_references[] = {SPGC_OFFSET(struct entry, row)};
static const struct spgc_type table_type = {.size = sizeof(struct table),
                                            .element_size = sizeof(struct entry),
                                            .flags = SPGC_TYPE_TAIL,
                                            .element_reference_count = 1,
                                            .element_reference_offsets = entry_references,
                                            .name = "table"};

static struct numbers SPGC_MANAGED *numbers_make(long length) {
  return spgc_allocate_array(&numbers_type, (uint64_t)length);
}

static struct numbers SPGC_MANAGED *row_make(long row, long length) {
  struct numbers SPGC_MANAGED *made = numbers_make(length);
  for (long SPGC_MANAGED *at = made->at; at != made->at + length; at++) {
    struct numbers SPGC_MANAGED *garbage = numbers_make(3);
    garbage->at[0] = row;
    *at = garbage->at[0] * 10 + garbage->at[1] + garbage->at[2];
  }
  return made;
}

/* Copying an entry copies a reference, so it needs a barrier. */
static void rotate(struct table SPGC_MANAGED *table) {
  uint64_t last = table->length - 1;
  struct numbers SPGC_MANAGED *row = table->at[last].row;
  long weight = table->at[last].weight;
  for (uint64_t i = last; i > 0; i--)
    table->at[i] = table->at[i - 1];
  table->at[0].row = row;
  table->at[0].weight = weight;
}

static long total(struct table SPGC_MANAGED *table) {
  long sum = 0;
  for (struct entry SPGC_MANAGED *entry = table->at; entry != table->at + table->length; entry++) {
    for (uint64_t i = 0; i < entry->row->length; i++)
      sum += entry->row->at[i] * entry->weight;
    sum += row_make(1, 1)->at[0];
  }
  return sum;
}

long managed_run(long n) {
  struct table SPGC_MANAGED *table = spgc_allocate_array(&table_type, (uint64_t)n);
  for (long i = 0; i < n; i++) {
    struct numbers SPGC_MANAGED *row = row_make(i, 4);
    table->at[i].row = row;
    table->at[i].weight = 1;
  }
  for (long i = 0; i < n; i++) {
    rotate(table);
    table->at[0].row = row_make(i, 4);
    table->at[i].weight++;
  }
  return total(table);
}
