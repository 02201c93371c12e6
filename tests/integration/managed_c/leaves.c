/* Leaves use ordinary pointers into objects, in loops, calls, and tail calls that become loops. */
#include "spgc/managed.h"

typedef struct data SPGC_MANAGED *data;
struct data {
  const struct spgc_type *type;
  uint64_t length;
  long at[];
};
typedef struct node SPGC_MANAGED *node;
struct node {
  const struct spgc_type *type;
  node next;
};

static const struct spgc_type data_type = SPGC_DATA_ARRAY_TYPE(struct data, at);
static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));

__attribute__((noinline)) static data make(long length) {
  data made = spgc_allocate_array(&data_type, (uint64_t)length);
  for (long i = 0; i < length; i++)
    made->at[i] = i;
  return made;
}

__attribute__((noinline)) static void collect(void) {
  make(1);
}

SPGC_LEAF static inline const long *start(data data) {
  return (const long *)(uintptr_t)&data->at[0];
}

SPGC_LEAF static long sum(data data) {
  const long *at = start(data);
  long sum = 0;
  for (uint64_t i = 0; i < data->length; i++)
    sum += at[i];
  return sum;
}

SPGC_LEAF static inline __attribute__((always_inline)) long inlined_sum(data data) {
  const long *at = start(data);
  long sum = 0;
  for (uint64_t i = 0; i < data->length; i++)
    sum += at[i];
  return sum;
}

static long sum_of(const long *at, long length) {
  long sum = 0;
  for (long i = 0; i < length; i++)
    sum += at[i];
  return sum;
}

SPGC_LEAF static inline long sum_by_helper(const long *at, long length) {
  return sum_of(at, length);
}

SPGC_LEAF static long sum_by_tail_calls(const long *at, long length, long sum) {
  return length == 0 ? sum : sum_by_tail_calls(at + 1, length - 1, sum + *at);
}

SPGC_LEAF static long are_equal(const long *a, const long *b, uint64_t length) {
  for (uint64_t i = 0; i < length; i++)
    if (a[i] != b[i])
      return 0;
  return 1;
}

SPGC_LEAF static inline long element(data data, long i) {
  return start(data)[i];
}

__attribute__((noinline)) static long sum_of_elements(data data, long n) {
  long sum = 0;
  for (long i = 0; i < n && element(data, i) == i; i++)
    sum += element(data, i);
  return sum;
}

enum { LENGTH = 40 };

static node kept;

long managed_run(long n) {
  long total = 0;
  for (long i = 0; i < n; i++) {
    data data = make(LENGTH), same = make(LENGTH);
    node holder = spgc_allocate(&node_type), keeper = spgc_allocate(&node_type);
    keeper->next = kept;
    kept = keeper;
    holder->next = spgc_allocate(&node_type);
    collect();
    total += sum(data) + inlined_sum(data);
    collect();
    total += sum_by_helper(start(data), LENGTH) + sum_by_tail_calls(start(data), LENGTH, 0) +
             sum_of_elements(data, LENGTH);
    total += are_equal(start(data), start(same), LENGTH);
  }
  return total;
}
