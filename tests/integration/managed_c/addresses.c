/* Pointers subtracted, compared and cast across allocations. */
#include "spgc/managed.h"

struct numbers {
  const struct spgc_type *type;
  uint64_t length;
  long at[];
};

static const struct spgc_type numbers_type = {.size = sizeof(struct numbers),
                                              .element_size = sizeof(long),
                                              .flags = SPGC_TYPE_TAIL,
                                              .name = "numbers"};

static struct numbers SPGC_MANAGED *numbers_make(long length) {
  return spgc_allocate_array(&numbers_type, (uint64_t)length);
}

/* Not static, so that the allocation is not removed. */
struct numbers SPGC_MANAGED *garbage;

static void churn(void) {
  garbage = numbers_make(1);
}

/* Touches no memory: only the poll keeps a call in its place. */
__attribute__((noinline)) static long spin(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += i ^ n;
  return sum;
}

static long distance_across_allocation(struct numbers SPGC_MANAGED *a, long i) {
  long SPGC_MANAGED *p = &a->at[i];
  long before = p - a->at;
  churn();
  return before * 1000 + (p - a->at);
}

static long elements_by_distance(struct numbers SPGC_MANAGED *a) {
  long sum = 0;
  for (long SPGC_MANAGED *e = a->at; e != a->at + a->length; e++) {
    churn();
    sum += *e * (e - a->at + 1);
  }
  return sum;
}

static long below_in_loop(struct numbers SPGC_MANAGED *a) {
  long sum = 0;
  for (long SPGC_MANAGED *e = a->at; e < a->at + a->length; e++) {
    churn();
    sum += e >= a->at && e < &a->at[a->length] ? *e : -1000000;
  }
  return sum;
}

/* Loads the array each time, so LLVM cannot know that it is one. */
struct holder {
  const struct spgc_type *type;
  struct numbers SPGC_MANAGED *held;
};

static const uint32_t holder_references[] = {SPGC_OFFSET(struct holder, held)};
static const struct spgc_type holder_type = {.size = sizeof(struct holder),
                                             .reference_count = 1,
                                             .reference_offsets = holder_references,
                                             .name = "holder"};

static long through_holder(struct holder SPGC_MANAGED *holder) {
  long sum = 0, index = 0;
  for (long SPGC_MANAGED *e = holder->held->at; e < holder->held->at + holder->held->length; e++) {
    churn();
    sum += (e - holder->held->at) == index++ ? *e : -1000000;
  }
  return sum;
}

static long fresh_casts(struct numbers SPGC_MANAGED *a, long n) {
  long wrong = 0;
  for (long i = 0; i < n; i++) {
    uintptr_t before = (uintptr_t)a;
    if (i % 2 == 0)
      churn();
    else
      spin(20 + i % 8);
    uintptr_t after = (uintptr_t)a;
    long SPGC_MANAGED *first = a->at;
    wrong += (uintptr_t)first - after != offsetof(struct numbers, at);
    wrong += before % 8 != after % 8;
  }
  return wrong;
}

/* The only safepoint is the loop's own poll. */
__attribute__((noinline)) static long casts_in_polled_loop(struct numbers SPGC_MANAGED *a, long n) {
  long wrong = 0;
  for (long i = 0; i < n; i++) {
    uintptr_t now = (uintptr_t)a;
    wrong += (uintptr_t)&a->at[i % 2] - now !=
             offsetof(struct numbers, at) + (uintptr_t)(i % 2) * sizeof(long);
  }
  return wrong;
}

long managed_run(long n) {
  struct holder SPGC_MANAGED *holder = spgc_allocate(&holder_type);
  struct numbers SPGC_MANAGED *a = numbers_make(n);
  holder->held = a;
  for (long i = 0; i < n; i++)
    a->at[i] = i + 1;
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += distance_across_allocation(a, i);
  sum += elements_by_distance(a) + below_in_loop(a) + through_holder(holder);
  return sum + 1000000000 * (fresh_casts(a, n) + casts_in_polled_loop(a, 100 * n));
}
