#include "spgc/managed.h"

struct cell {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *next;
  long value;
};

typedef struct cell SPGC_MANAGED *list;

static const uint32_t cell_references[] = {SPGC_OFFSET(struct cell, next)};
static const struct spgc_type cell_type = {.size = sizeof(struct cell),
                                           .reference_count = 1,
                                           .reference_offsets = cell_references,
                                           .name = "cell"};

static list kept;

static list cons(long value, list next) {
  list cell = spgc_allocate(&cell_type);
  cell->value = value;
  cell->next = next;
  return cell;
}

static list insert(list sorted, long value) {
  if (sorted == NULL || sorted->value >= value)
    return cons(value, sorted);
  list at = sorted;
  while (at->next != NULL && at->next->value < value)
    at = at->next;
  at->next = cons(value, at->next);
  return sorted;
}

static list reverse(list rest) {
  list reversed = NULL;
  while (rest != NULL) {
    list next = rest->next;
    rest->next = reversed;
    reversed = rest;
    rest = next;
  }
  return reversed;
}

static void keep(long value) {
  kept = cons(value, kept);
}

long managed_run(long n) {
  list sorted = NULL;
  for (long i = 0; i < n; i++) {
    sorted = insert(sorted, i * 7919 % n);
    keep(i);
  }
  long sum = 0, rank = 0;
  for (list at = reverse(sorted); at != NULL; at = at->next)
    sum += at->value * rank++;
  for (list at = kept; at != NULL; at = at->next)
    sum += at->value;
  return sum;
}
