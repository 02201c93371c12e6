/* Functions with code that managed ones may not have, between managed ones that would be
 * inlined. */
#include "spgc/managed.h"

#include <stdarg.h>

struct cell {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *next;
  long number;
};

typedef struct cell SPGC_MANAGED *list;

static const uint32_t cell_references[] = {SPGC_OFFSET(struct cell, next)};
static const struct spgc_type cell_type = {.size = sizeof(struct cell),
                                           .reference_count = 1,
                                           .reference_offsets = cell_references,
                                           .name = "cell"};

static list push(list next, long number) {
  list cell = spgc_allocate(&cell_type);
  cell->next = next;
  cell->number = number;
  return cell;
}

static long __attribute__((noinline)) sum(list list) {
  push(NULL, -1);
  long sum = 0;
  for (; list != NULL; list = list->next)
    sum += list->number;
  return sum;
}

/* Would be inlined, if not for its assembly. */
static inline long opaque(long number) {
  __asm__ volatile("" : "+r"(number));
  return number;
}

SPGC_LEAF static inline long opaque_leaf(long number) {
  __asm__ volatile("" : "+r"(number));
  return number;
}

static long __attribute__((noinline)) total(int count, ...) {
  va_list numbers;
  long total = 0;
  va_start(numbers, count);
  for (int i = 0; i < count; i++)
    total += va_arg(numbers, long);
  va_end(numbers);
  return total;
}

static inline long total_of_two(long a, long b) {
  return total(2, a, b);
}

static long __attribute__((noinline, preserve_most)) doubled(long number) {
  return 2 * number;
}

static inline long doubled_elsewhere(long number) {
  return doubled(number);
}

/* Managed, and called once, so it would be inlined below. */
static long sum_to(long n) {
  list list = NULL;
  for (long i = 1; i <= n; i++)
    list = push(list, i);
  return sum(list);
}

static long sum_from_two(long n) {
  list list = NULL;
  for (long i = 2; i <= n; i++)
    list = push(list, i);
  return sum(list) + 1;
}

static long __attribute__((noinline)) beside_assembly(long n) {
  __asm__ volatile("" : "+r"(n));
  return sum_to(n);
}

static long apply(long (*function)(long), long n) {
  __asm__ volatile("" : "+r"(n));
  return function(n);
}

static long __attribute__((noinline)) through_pointer(long n) {
  return apply(sum_from_two, n);
}

/* 3/2 n (n + 1). */
static long __attribute__((noinline)) around(long n) {
  list list = NULL;
  for (long i = 1; i <= n; i++) {
    list = push(list, opaque(i) - opaque_leaf(1));
    list = push(list, total_of_two(1, doubled_elsewhere(i) - i) - i);
    list->number += i;
  }
  return sum(list) / 2 + beside_assembly(n) + through_pointer(n);
}

long managed_run(long n);

long managed_run(long n) {
  return around(n);
}
