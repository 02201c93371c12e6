/* refused: a word that is declared as a reference is read or written as a number */
/* A leaf of another file stores a word. A number is ruled out before an allocation. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  union {
    node ref;
    uint64_t bits;
  } word;
  node next;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, word), SPGC_OFFSET(struct node, next));

SPGC_LEAF void set_word(void SPGC_MANAGED *object, uint64_t bits);

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static NOINLINE long given_away(node from) {
  if (from->word.bits & 1) /* at: 'from' */
    return -1000000;
  node to = spgc_allocate(&node_type);
  set_word(to, from->word.bits);
  node other = make(3);
  return to->word.ref->number + other->number - 3;
}

static void (*volatile setter)(void SPGC_MANAGED *object, uint64_t bits) = set_word;

static NOINLINE long given_through_pointer(node from) {
  if (from->word.bits & 1)
    return -1000000;
  node to = spgc_allocate(&node_type);
  setter(to, from->word.bits);
  node other = make(3);
  return to->word.ref->number + other->number - 3;
}

long managed_run(long n) {
  long sum = 0;
  node kept = NULL;
  for (long i = 0; i < n; i++) {
    node from = make(1);
    from->word.ref = make(i);
    sum += given_away(from) + given_through_pointer(from);
    from->next = kept;
    if (i % 8 == 0)
      kept = from;
  }
  for (; kept != NULL; kept = kept->next)
    sum += kept->word.ref->number;
  return sum;
}
