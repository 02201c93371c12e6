/* refused: a word that is declared as a reference is read or written as a number */
/* Words compared as numbers with addresses, or each other, on both sides of an allocation, also by
 * memcmp; copied by _FORTIFY_SOURCE's memcpy; and around calls of the C library. */
#include <stdint.h>
#include <string.h>

#include "spgc/managed.h"

struct node;
typedef struct node SPGC_MANAGED *node;

union word {
  node reference;
  uint64_t bits;
};

struct node {
  const struct spgc_type *type;
  union word first, second;
  long number;
};

static const struct spgc_type node_type = SPGC_OBJECT_TYPE(
    struct node, SPGC_OFFSET(struct node, first), SPGC_OFFSET(struct node, second));

static union word variable;
static const char *volatile text = "four";

enum { TAG = 1 };
enum { IN_OBJECT = 1, IN_VARIABLE = 2, IN_BOTH = 4, NO_DISTANCE = 8, SAME = 16, ALL = 31 };

__attribute__((noinline)) static node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

/* Testing tags before the allocation gives the optimiser the words. */
__attribute__((noinline)) static long compare(node a, node target, node b) {
  if ((a->first.bits | b->second.bits | variable.bits) & TAG) /* at: 'a' */
    return 0;
  node other = spgc_allocate(&node_type);
  long found = other->number;
  other->number = a->number;
  found |= a->first.bits == (uintptr_t)target ? IN_OBJECT : 0;
  found |= variable.bits == (uintptr_t)target ? IN_VARIABLE : 0;
  found |= a->first.bits == b->second.bits ? IN_BOTH : 0;
  found |= b->second.bits - (uintptr_t)target == 0 ? NO_DISTANCE : 0;
  return found;
}

static long is_same(const void *a, const void *b) {
  return memcmp(a, b, sizeof(union word)) == 0 ? SAME : 0;
}

__attribute__((noinline)) static long compare_memory(node a) {
  union word kept = a->first;
  long found = is_same(&kept, &variable);
  node other = spgc_allocate(&node_type);
  return (found & is_same(&kept, &variable)) + other->number;
}

static void copy(node *to, const node *from) {
  __builtin___memcpy_chk(to, from, sizeof *to, __builtin_object_size(to, 0));
}

__attribute__((noinline)) static long copy_checked(node *to, const node *from) {
  node kept;
  copy(&kept, from);
  long zero = make(0)->number;
  copy(to, &kept);
  return make(zero)->number;
}

/* LLVM knows that strlen is no safepoint. */
__attribute__((noinline)) static long copy_around_library(node from, node to, const char *text) {
  if (from->first.bits & TAG)
    return 0;
  node other = spgc_allocate(&node_type);
  uint64_t bits = from->first.bits;
  long length = (long)strlen(text);
  to->first.bits = bits;
  return make(length)->number + other->number;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    node a = make(i), b = make(i), target = make(i);
    a->first.reference = target;
    b->second.reference = target;
    variable.reference = target;
    long found = compare(a, target, b) | compare_memory(a);
    node copied = NULL;
    found += copy_checked(&copied, &variable.reference);
    sum += found == ALL && copied == target && copied->number == i &&
           copy_around_library(a, b, text) == 4 && b->first.reference->number == i;
  }
  return sum;
}
