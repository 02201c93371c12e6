/* All frames of a recursion keep an object, and the innermost makes garbage. A minor collection's
 * cost should not depend on the depth. */
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/workload.h"

struct link {
  OBJECT_HEADER
  struct link REFERENCE *outer;
  uint64_t number;
};

DESCRIBE_OBJECT(link, outer);

static struct link REFERENCE *new_link(struct link REFERENCE *outer, uint64_t number) {
  struct link REFERENCE *link = NEW(link);
  link->outer = outer;
  link->number = number;
  return link;
}

/* The keeper refers to the last, or it would not be allocated. */
static uint64_t make_garbage(struct link REFERENCE *keeper, uint64_t objects) {
  uint64_t sum = 0;
  keeper->outer = NULL;
  for (uint64_t i = 0; i < objects; i++) {
    struct link REFERENCE *link = new_link(NULL, i);
    struct link REFERENCE *last = keeper->outer;
    keeper->outer = link;
    sum += link->number & 1;
    DROP(last);
  }
  struct link REFERENCE *last = keeper->outer;
  DROP(last);
  return sum;
}

__attribute__((noinline)) static uint64_t dive(struct link REFERENCE *outer, uint64_t depth,
                                               uint64_t objects) {
  struct link REFERENCE *mine = new_link(outer, depth);
  uint64_t below = depth == 0 ? make_garbage(mine, objects) : dive(mine, depth - 1, objects);
  uint64_t sum = below * 31 + mine->number;
  DROP(mine);
  return sum;
}

static uint64_t run(const uint64_t *arguments) {
  return dive(NULL, arguments[0], arguments[1]);
}

const struct workload deep = {
    .name = "deep",
    .parameters = {{"frames", 10000, 1, UINT64_C(100000000)},
                   {"objects", 20000000, 1, UINT64_C(10000000000)}},
    .known = {{{10000, 20000000}, UINT64_C(9703562264738942472)}},
    .run = run,
};
