/* Copies of one-word structures must not be carried over allocations as numbers. */
#include "spgc/managed.h"

#include <string.h>

struct cell {
  const struct spgc_type *type;
  long value;
};

struct box {
  struct cell SPGC_MANAGED *cell;
};

struct number {
  unsigned long bits;
};

struct pair {
  const struct spgc_type *type;
  struct box box;
  struct number number;
  struct box spare;
};

static const struct spgc_type cell_type = {.size = sizeof(struct cell), .name = "cell"};
static const uint32_t pair_references[] = {SPGC_OFFSET(struct pair, box),
                                           SPGC_OFFSET(struct pair, spare)};
static const struct spgc_type pair_type = {.size = sizeof(struct pair),
                                           .reference_count = 2,
                                           .reference_offsets = pair_references,
                                           .name = "pair"};

struct box kept; /* a root */

static struct cell SPGC_MANAGED *cell_make(long value) {
  struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
  cell->value = value;
  return cell;
}

static struct pair SPGC_MANAGED *pair_make(long value) {
  struct cell SPGC_MANAGED *cell = cell_make(value);
  struct pair SPGC_MANAGED *pair = spgc_allocate(&pair_type);
  pair->box.cell = cell;
  return pair;
}

__attribute__((noinline)) static struct cell SPGC_MANAGED *fresh(void) {
  return spgc_allocate(&cell_type);
}

static long twice(struct pair SPGC_MANAGED *to, struct pair SPGC_MANAGED *from) {
  to->box = from->box;
  fresh();
  to->spare = from->box;
  return to->box.cell == to->spare.cell ? to->spare.cell->value : -1000000;
}

static long in_a_loop(struct pair SPGC_MANAGED *to, struct pair SPGC_MANAGED *from, long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    to->box = from->box;
    fresh();
    sum += to->box.cell->value;
  }
  return sum;
}

static long through_root(struct pair SPGC_MANAGED *to, struct pair SPGC_MANAGED *from) {
  kept = from->box;
  to->box = kept;
  struct cell SPGC_MANAGED *other = fresh();
  to->spare = kept;
  memcpy(&to->box, &from->box, sizeof to->box);
  return to->spare.cell->value + to->box.cell->value + (other->value == 0);
}

/* The length is known once this is inlined. */
static void copy_words(struct pair SPGC_MANAGED *to, struct pair SPGC_MANAGED *from,
                       unsigned long words) {
  memmove(&to->box, &from->box, words * sizeof(struct box));
}

static long inlined(struct pair SPGC_MANAGED *to, struct pair SPGC_MANAGED *from) {
  copy_words(to, from, 1);
  fresh();
  copy_words(to, from, 1);
  return to->box.cell->value;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    struct pair SPGC_MANAGED *from = pair_make(i);
    struct pair SPGC_MANAGED *to = pair_make(-i);
    sum += twice(to, from) + in_a_loop(to, from, 3) + through_root(to, from) + inlined(to, from);
  }
  return sum;
}
