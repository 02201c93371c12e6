/* refused: a word that is declared as a reference is read or written as a number */
/* Numbers cast to references at once, which are used after safepoints, to which optimisers move
 * casts. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  uint64_t word;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, word));

typedef uint64_t integers __attribute__((vector_size(16), aligned(8), may_alias));
typedef unsigned __int128 wide __attribute__((aligned(8), may_alias));

struct two {
  node first, second;
};

enum { TAG = 1 };

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

/* No safepoint, so the results are current. */
static NOINLINE uint64_t word_of(node object) {
  return (uint64_t)object;
}

static NOINLINE uint64_t pass(uint64_t word) {
  return word;
}

static uint64_t (*volatile pass_on)(uint64_t word) = pass;

static NOINLINE uint64_t tagged(node object) {
  return (uint64_t)object | 5;
}

static NOINLINE uint64_t boxed(node object) {
  return (uint64_t)object | UINT64_C(0xfff8) << 48;
}

static uint64_t (*volatile tag)(node object) = tagged, (*volatile box)(node object) = boxed;

/* The address lets others change the words. */
static NOINLINE void touch(struct two *words) {
  if (words->first == 0)
    words->second = 0;
}

static NOINLINE long of_call(node a, long n) {
  node b = (node)word_of(a);
  make(3);
  if (n & 1)
    make(4);
  return b->number;
}

static NOINLINE long of_argument(node a, long n) {
  node b = (node)pass((uint64_t)a), c = (node)(pass_on((uint64_t)a | TAG) & ~(uint64_t)TAG);
  make(3);
  if (n & 1)
    make(4);
  return b->number + c->number;
}

static NOINLINE long of_arithmetic(node a, long n) {
  node b = (node)(tag(a) >> 3 << 3), c = (node)((tag(a) | 7) - 7), d = (node) ~~(tag(a) & ~7ul);
  node e = (node)(box(a) << 16 >> 16), f = (node)(box(a) & UINT64_C(0xffffffffffff));
  make(3);
  if (n & 1)
    make(4);
  return b->number + c->number + d->number + e->number + f->number;
}

static NOINLINE long of_choice(node a, node b, long n) {
  uint64_t word = n & 2 ? word_of(a) : pass((uint64_t)b);
  node c = (node)word;
  make(3);
  if (n & 1)
    make(4);
  return c->number;
}

static NOINLINE long of_memory(node a, long n) {
  a->word = word_of(make(n));
  node b = (node)a->word;
  make(3);
  if (n & 1)
    make(4);
  return b->number;
}

/* The field is declared as a number, and has a tag. */
static NOINLINE long of_field(node a, long n) {
  a->word = (uint64_t)make(n) | TAG;
  node b = (node)(a->word & ~(uint64_t)7);
  make(3);
  if (n & 1)
    make(4);
  a->word = (uint64_t)b;
  node c = (node)(a->word & ~(uint64_t)7);
  make(5);
  return b->number + c->number + ((node)(a->word & ~(uint64_t)7))->number;
}

static NOINLINE long of_vector(node a, node b, long n) {
  struct two words = {a, b};
  touch(&words);
  integers both = *(integers *)&words;
  node c = (node)both[n & 1];
  make(3);
  if (n & 2)
    make(4);
  return c->number;
}

static NOINLINE long of_wide(node a, node b, long n) {
  struct two words = {a, b};
  touch(&words);
  wide both = *(wide *)&words;
  node c = (node)(uint64_t)both, d = (node)(uint64_t)(both >> 64);
  make(3);
  if (n & 1)
    make(4);
  return c->number * 3 + d->number;
}

static NOINLINE long twice(node a, long n) {
  struct two words = {a, a};
  touch(&words);
  long sum = 0;
  for (long i = 0; i < 2; i++) {
    node b = (node)(*(integers *)&words)[i], c = (node)word_of(a); /* at: 'words' */
    make(3);
    if (n & 1)
      make(4);
    sum += b->number + c->number;
  }
  return sum;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    sum += of_call(make(i), i) + of_argument(make(i), i) + of_arithmetic(make(i), i) +
           of_memory(make(i), i) + of_field(make(i), i) + twice(make(i), i);
    node a = make(i), b = make(i + 1);
    sum += of_choice(a, b, i);
    a = make(i);
    b = make(i + 1);
    sum += of_vector(a, b, i);
    a = make(i);
    b = make(i + 1);
    sum += of_wide(a, b, i);
  }
  return sum;
}
