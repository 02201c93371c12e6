/* Structures with more alignment than objects, half of which are at odd words. */
#include "spgc/managed.h"

typedef long four __attribute__((vector_size(32)));

struct cell {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *next;
  long n;
};

struct pair {
  struct cell SPGC_MANAGED *left, *right;
};

struct wide {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *cell;
  __int128 large;
  long double real;
  four lanes;
  struct pair pair __attribute__((aligned(32)));
};

static const uint32_t cell_references[] = {SPGC_OFFSET(struct cell, next)};
static const struct spgc_type cell_type = {.size = sizeof(struct cell),
                                           .reference_count = 1,
                                           .reference_offsets = cell_references,
                                           .name = "cell"};
static const uint32_t wide_references[] = {SPGC_OFFSET(struct wide, cell),
                                           SPGC_OFFSET(struct wide, pair.left),
                                           SPGC_OFFSET(struct wide, pair.right)};
static const struct spgc_type wide_type = {.size = sizeof(struct wide),
                                           .reference_count = 3,
                                           .reference_offsets = wide_references,
                                           .name = "wide"};

static struct cell SPGC_MANAGED *cell_make(long n) {
  struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
  cell->n = n;
  return cell;
}

static struct wide SPGC_MANAGED *wide_make(long n) {
  struct wide SPGC_MANAGED *wide = spgc_allocate(&wide_type);
  wide->cell = cell_make(n);
  wide->pair.left = cell_make(2 * n);
  wide->pair.right = cell_make(3 * n);
  wide->large = (__int128)n * n;
  wide->real = (long double)n;
  wide->lanes = (four){n, n + 1, n + 2, n + 3};
  return wide;
}

static struct wide SPGC_MANAGED *kept;

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    struct wide SPGC_MANAGED *from = wide_make(i);
    struct wide SPGC_MANAGED *to = wide_make(0);
    *to = *from;
    to->lanes = from->lanes + from->lanes;
    to->pair = from->pair;
    kept = to;
    cell_make(i);
    sum += (long)to->large - i * i + (long)to->real + to->lanes[0] + to->lanes[3];
    sum += kept->cell->n + to->pair.left->n + to->pair.right->n;
  }
  return sum;
}
