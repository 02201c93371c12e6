/* refused: a word that is declared as a reference is read or written as a number */
/* References that operations on bits leave unchanged are stored into old objects: without a card,
 * the next minor collection misses them. */
#include "spgc/managed.h"

#include "spgc/heap.h"

#define NOINLINE __attribute__((noinline))

struct node;
typedef struct node SPGC_MANAGED *node;

typedef union {
  node ref;
  uint64_t bits;
} word;

struct node {
  const struct spgc_type *type;
  word word;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, word));

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

enum { TAG = 7, ADDRESS_BITS = 48, UNUSED_BITS = 64 - ADDRESS_BITS, TURN = 13 };

/* `tag` is 0, unknown to the compiler. */
#define COPIES(name, expression)                                                                   \
  static NOINLINE void name(node to, node from, uint64_t tag) {                                    \
    to->word.bits = (expression);                                                                  \
  }
COPIES(masked, from->word.bits & ~tag) /* at: 'from' */
COPIES(joined, from->word.bits | tag)
COPIES(flipped, from->word.bits ^ tag)
COPIES(cleared, (from->word.bits & ~(from->word.bits & TAG)) | tag)
COPIES(less_tag, from->word.bits - (from->word.bits & TAG & tag))
COPIES(less_flag, from->word.bits - (uint64_t)(tag == TAG))
COPIES(plus_flag, from->word.bits + (uint64_t)(tag == TAG))
COPIES(extended, (uint64_t)((int64_t)(from->word.bits << (UNUSED_BITS - tag)) >> UNUSED_BITS))
COPIES(turned, __builtin_rotateright64(__builtin_rotateleft64(from->word.bits, TURN), TURN + tag))
COPIES(chosen, from->word.bits ^ ((from->word.bits ^ tag) & (0 - (uint64_t)(tag == TAG))))

static void (*const copies[])(node to, node from, uint64_t tag) = {
    masked, joined, flipped, cleared, less_tag, less_flag, plus_flag, extended, turned, chosen};
enum { COPIES = sizeof copies / sizeof *copies };

static volatile uint64_t no_tag;

static NOINLINE long copy(long way, long n) {
  node to = make(0);
  spgc_collect(SPGC_COLLECTION_FULL);
  node from = make(0);
  from->word.ref = make(n);
  copies[way](to, from, no_tag);
  from = 0;
  spgc_collect(SPGC_COLLECTION_MINOR);
  make(-1);
  return to->word.ref->number;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    for (long way = 0; way < COPIES; way++)
      sum += copy(way, i);
  return sum;
}
