/* Local variables in memory keep their referents exactly until their scope ends. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *next;
  long value;
};

typedef struct node SPGC_MANAGED *node;

static const uint32_t references[] = {SPGC_OFFSET(struct node, next)};
static const struct spgc_type node_type = {.size = sizeof(struct node),
                                           .reference_count = 1,
                                           .reference_offsets = references,
                                           .name = "node"};

/* deaths() collects fully, and returns how many watched objects died. */
void watch(node object);
long deaths(void);

static NOINLINE void make_into(node *out, long value) {
  node made = spgc_allocate(&node_type);
  made->value = value;
  *out = made;
  watch(made);
}

static NOINLINE void make_both(node pair[2]) {
  make_into(&pair[0], 3);
  make_into(&pair[1], 4);
}

/* 1 death after the first scope, 2 after the second. */
static NOINLINE long one_after_the_other(void) {
  long seen = 0;
  {
    node one;
    make_into(&one, 1);
    seen += deaths() + one->value;
  }
  seen = seen * 10 + deaths();
  {
    node pair[2];
    make_both(pair);
    seen = seen * 10 + deaths() + pair[0]->value + pair[1]->value;
  }
  return seen * 10 + deaths();
}

static NOINLINE long again_and_again(long rounds) {
  long seen = 0;
  for (long i = 0; i < rounds; i++) {
    node kept, gone;
    make_into(&kept, i);
    seen += deaths() * 1000;
    if (i % 3 == 0)
      continue;
    make_into(&gone, i);
    seen += deaths() * 1000000 + (kept->value == gone->value);
  }
  return seen + deaths() * 1000000;
}

long managed_run(long n) {
  return one_after_the_other() * 1000000000 + again_and_again(n);
}
