/* Managed C compiled by clang alone: it allocates objects, and keeps none. */
#include <stdint.h>

#include "spgc/managed.h"

struct number {
  const struct spgc_type *type;
  int64_t value;
};

static const struct spgc_type number_type = {.size = sizeof(struct number), .name = "number"};

int64_t managed_run(int64_t n);

int64_t managed_run(int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 1; i <= n; i++) {
    volatile struct number SPGC_MANAGED *number = spgc_allocate(&number_type);
    number->value = i;
    sum += number->value;
  }
  return sum;
}
