/* Every load of a reference in ir/load_barriers.ll, with the collector of examples/incremental. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "examples/incremental/incremental.h"
#include "spgc/stackwalk.h"

int64_t plain(void), atomic(void), vector(void), masked(void), gather(void), structure(void),
    exchange(void), compare(void), compare_others(void), by_leaf(void), variable(void),
    copied(void), loop(void), list(void);
int64_t load_volatile(void) __asm__("volatile");
int64_t derived(bool is_first);

void fail(const char *message) {
  fprintf(stderr, "load-barriers: %s\n", message);
  exit(EXIT_FAILURE);
}

static int64_t derived_first(void) {
  return derived(true);
}

static int64_t derived_second(void) {
  return derived(false);
}

static const struct {
  const char *name;
  int64_t (*run)(void);
  int64_t expected;
} kinds[] = {
    {"plain", plain, 2},
    {"volatile", load_volatile, 2},
    {"atomic", atomic, 2},
    {"vector", vector, 1234},
    {"masked", masked, 1224},
    {"gather", gather, 4321},
    {"structure", structure, 3},
    {"exchange", exchange, 2},
    {"compare", compare, 1002},
    {"compare_others", compare_others, 2},
    {"by_leaf", by_leaf, 4},
    {"derived_first", derived_first, 1},
    {"derived_second", derived_second, 2},
    {"variable", variable, 3},
    {"copied", copied, 2},
    {"loop", loop, 3},
    {"list", list, 400},
};

int main(void) {
  int status = EXIT_SUCCESS;
  spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
  heap_start(__builtin_frame_address(0), true);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    uint64_t moved_before = counts.moved_by_loads;
    int64_t result = kinds[i].run();
    printf("%s: %" PRId64 "\n", kinds[i].name, result);
    if (result == kinds[i].expected && counts.moved_by_loads > moved_before)
      continue;
    printf("%s: expected %" PRId64 ", and an object that a load moved\n", kinds[i].name,
           kinds[i].expected);
    status = EXIT_FAILURE;
  }
  return status;
}
