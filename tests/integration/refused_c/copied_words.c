/* refused: a word that is declared as a reference is read or written as a number */
/* Words of objects copied as numbers, by a union's other members: before and after a collection,
 * through a root, without a tag, and in loops. The optimiser must not join loads or move stores
 * across an allocation. */
#include "spgc/managed.h"

struct cell {
  const struct spgc_type *type;
  long value;
};

typedef struct cell SPGC_MANAGED *reference;

typedef union {
  reference cell;
  unsigned long bits;
  double real;
  void *pointer;
} word;

struct box {
  const struct spgc_type *type;
  word word;
  word spare;
};

typedef struct box SPGC_MANAGED *box_reference;

static const struct spgc_type cell_type = {.size = sizeof(struct cell), .name = "cell"};
static const uint32_t box_references[] = {SPGC_OFFSET(struct box, word),
                                          SPGC_OFFSET(struct box, spare)};
static const struct spgc_type box_type = {.size = sizeof(struct box),
                                          .reference_count = 2,
                                          .reference_offsets = box_references,
                                          .name = "box"};

static word kept; /* a root */

__attribute__((noinline)) static reference fresh(void) {
  return spgc_allocate(&cell_type);
}

__attribute__((noinline)) static long value_of(reference cell) {
  fresh();
  return cell->value;
}

static long both(box_reference first, box_reference second) {
  return value_of(first->spare.cell) + value_of(second->spare.cell);
}

static long plainly(box_reference from, box_reference to, box_reference other) {
  to->spare.bits = from->word.bits; /* at: 'from' */
  fresh();
  other->spare.bits = from->word.bits;
  return both(to, other);
}

static long as_numbers(box_reference from, box_reference to, box_reference other) {
  to->spare.real = from->word.real;
  fresh();
  other->spare.real = from->word.real;
  return both(to, other);
}

static long as_pointers(box_reference from, box_reference to, box_reference other) {
  to->spare.pointer = from->word.pointer;
  fresh();
  other->spare.pointer = from->word.pointer;
  return both(to, other);
}

static long without_tag(box_reference from, box_reference to, box_reference other) {
  unsigned long bits = from->word.bits;
  to->spare.bits = (bits & 1) != 0 ? 0 : bits & ~1ul;
  fresh();
  bits = from->word.bits;
  other->spare.bits = (bits & 1) != 0 ? 0 : bits & ~1ul;
  return both(to, other);
}

static long through_root(box_reference from, box_reference to, box_reference other) {
  kept.bits = from->word.bits;
  to->spare.bits = kept.bits;
  fresh();
  other->spare.bits = kept.bits;
  return both(to, other);
}

__attribute__((noinline)) static void put(box_reference to, unsigned long bits) {
  to->spare.bits = bits;
}

__attribute__((noinline)) static unsigned long get(box_reference from) {
  return from->word.bits;
}

static long by_functions(box_reference from, box_reference to, box_reference other) {
  put(to, from->word.bits);
  fresh();
  put(other, get(from));
  return both(to, other);
}

/* Nobody else knows the new object, so stores could move out of the loop. */
__attribute__((noinline)) static box_reference in_a_loop(box_reference from, long n) {
  box_reference to = spgc_allocate(&box_type);
  for (long i = 0; i <= n; i++) {
    to->word.bits = (unsigned long)from->word.cell;
    to->spare.bits = from->word.bits;
    from->spare.cell = fresh();
  }
  return to;
}

/* The number looks like an address inside an object. */
static long of_number(box_reference from, reference cell) {
  static const struct spgc_type number_type = {.size = sizeof(struct box), .name = "number"};
  box_reference number = spgc_allocate(&number_type), copy = spgc_allocate(&number_type);
  unsigned long looks = (unsigned long)from + 8;
  number->word.bits = looks;
  copy->word.bits = number->word.bits;
  fresh();
  copy->spare.bits = number->word.bits;
  return copy->word.bits == looks && copy->spare.bits == looks ? value_of(cell) : -1000000;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    box_reference from = spgc_allocate(&box_type);
    from->word.cell = fresh();
    from->word.cell->value = i;
    box_reference to = spgc_allocate(&box_type), other = spgc_allocate(&box_type);
    sum += plainly(from, to, other) + as_numbers(from, to, other) + as_pointers(from, to, other);
    sum += without_tag(from, to, other) + through_root(from, to, other);
    sum += by_functions(from, to, other);
    to = in_a_loop(from, i % 3);
    sum += value_of(to->word.cell) + value_of(to->spare.cell) + of_number(from, from->word.cell);
  }
  return sum;
}
