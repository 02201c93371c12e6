/* Addresses that a loop's condition casts and its body uses. The optimiser moves the condition to
 * the round before. */
#include "spgc/managed.h"

#include <stdint.h>

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  long number;
  node next;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));

SPGC_LEAF __attribute__((noinline)) static long number_of(node from, long i) {
  return from->number + i;
}

__attribute__((noinline)) static long rounds(node from, long n) {
  long same = 0;
  uintptr_t address;
  for (long i = 0; (address = (uintptr_t)from) != 0 && number_of(from, i) != -9 && i < n; i++)
    same += address == (uintptr_t)from;
  return same;
}

__attribute__((noinline)) static long distances(node from, long n, long sum) {
  uintptr_t address = (uintptr_t)from;
  if (n <= 0)
    return sum;
  return distances(from->next, n - 1, sum + (long)((uintptr_t)&from->next - address));
}

SPGC_LEAF static uintptr_t told_by_leaf(node object) {
  return (uintptr_t)object;
}

__attribute__((noinline)) static long told(node from, long n) {
  long same = 0;
  for (long i = 0; from->number != -9 && i < n; i++) {
    uintptr_t address = told_by_leaf(from);
    same += address == (uintptr_t)from;
    from = from->next;
  }
  return same;
}

long managed_run(long n) {
  enum { ROUNDS = 5, KEPT = 16 };
  node kept[KEPT];
  long sum = 0;
  for (long i = 0; i < n; i++) {
    node first = spgc_allocate(&node_type);
    first->next = kept[i % KEPT] = first;
    sum += rounds(first, ROUNDS) + distances(first, ROUNDS, 0); /* 5 + 5 * 16 */
    sum += told(first, ROUNDS);                                 /* 5 */
  }
  return sum + kept[0]->number;
}
