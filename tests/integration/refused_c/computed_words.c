/* refused: a word that is declared as a reference is read or written as a number */
/* Words used after arithmetic: bit-fields, tags removed without a branch, copies as floating point,
 * shifted compares. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node;
typedef struct node SPGC_MANAGED *node;

typedef union {
  node ref;
  uint64_t bits;
  double real;
  struct {
    uint64_t tag : 3, address : 61;
  } parts;
} word;

struct node {
  const struct spgc_type *type;
  word word;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, word));

static word source, target, third;
static node last;

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static NOINLINE long of_bit_field(node a, long n) {
  node b = (node)((uint64_t)a->word.parts.address << 3);
  make(3);
  if (n & 1)
    make(4);
  return b->number;
}

static void copy_as_real(word *to, const word *from) {
  to->real = from->real;
}

static void copy_untagged(word *to, const word *from) {
  uint64_t bits = from->bits;
  to->bits = bits & -(uint64_t)((bits & 1) == 0);
}

/* A copy on each side of an allocation, and an allocation in one branch. */
#define COPIES_BY(copy)                                                                            \
  static NOINLINE long by_##copy(node a, long n) {                                                 \
    source.ref = a;                                                                                \
    copy(&target, &source);                                                                        \
    last = spgc_allocate(&node_type);                                                              \
    copy(&third, &target);                                                                         \
    make(3);                                                                                       \
    long sum = third.ref->number;                                                                  \
    if (n & 1) {                                                                                   \
      copy(&target, &source);                                                                      \
      last = spgc_allocate(&node_type);                                                            \
    } else {                                                                                       \
      copy(&target, &source);                                                                      \
    }                                                                                              \
    make(4);                                                                                       \
    return sum + target.ref->number;                                                               \
  }

COPIES_BY(copy_as_real)
COPIES_BY(copy_untagged)

static NOINLINE long compared(node a, node b) {
  long same = a->word.bits >> 3 == (uint64_t)b >> 3;
  last = spgc_allocate(&node_type);
  same += a->word.bits >> 3 == (uint64_t)b >> 3;
  return same + (a->word.parts.address == (uint64_t)b >> 3);
}

static NOINLINE long low_parts(node a, node b) {
  long same = (uint32_t)a->word.bits == (uint32_t)(uint64_t)b;
  node first = spgc_allocate(&node_type);
  a->number = (long)first->type->size;
  same += (uint32_t)a->word.bits == (uint32_t)(uint64_t)b;
  node second = spgc_allocate(&node_type);
  second->number = (uint32_t)a->word.bits - (uint32_t)(uint64_t)b == 0;
  return same + first->number + second->number;
}

/* To an object that may be old. */
static NOINLINE void save_as_real(node to, const word *from) {
  to->word.real = from->real; /* at: 'to' */
}

long managed_run(long n) {
  long sum = 0;
  node old = make(0);
  for (long i = 0; i < n; i++) {
    source.ref = make(i);
    save_as_real(old, &source);
    source.ref = NULL;
    make(1);
    sum += of_bit_field(old, i) + old->word.ref->number;
    sum += by_copy_as_real(make(i), i) + by_copy_untagged(make(i), i);
    node a = make(i), b = make(i);
    a->word.ref = b;
    sum += compared(a, b) + low_parts(a, b);
  }
  return sum;
}
