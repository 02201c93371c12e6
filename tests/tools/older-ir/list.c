/* Like list.ll. clang-VERSION.bc was made of it:
 *   clang-VERSION -O1 -c -emit-llvm -Iinclude tests/tools/older-ir/list.c */
#include "spgc/managed.h"

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *next;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));

static struct node SPGC_MANAGED *latest;

long sum(long count) {
  struct node SPGC_MANAGED *list = NULL;
  for (long number = 0; number < count; number++) {
    struct node SPGC_MANAGED *cell = spgc_allocate(&node_type);
    cell->next = list;
    cell->number = number;
    latest = list = cell;
  }
  long total = 0;
  for (; list != NULL; list = list->next)
    total += list->number;
  return total;
}
