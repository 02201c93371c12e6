/* Coroutines: do two trees have the same leaves in the same order, whatever their shapes? A fiber
 * walks each tree recursively, and stops at each leaf. Collections rewrite references in waiting
 * frames.
 *
 *   fringe LEAVES */
#include "spgc/managed.h"

#include <stdio.h>
#include <stdlib.h>

#include "spgc/fiber.h"
#include "spgc/heap.h"
#include "spgc/main.h"

struct tree {
  const struct spgc_type *type;
  struct tree SPGC_MANAGED *left, *right; /* both null in a leaf */
  long number;
};
typedef struct tree SPGC_MANAGED *tree;

static const struct spgc_type tree_type =
    SPGC_OBJECT_TYPE(struct tree, SPGC_OFFSET(struct tree, left), SPGC_OFFSET(struct tree, right));

static void require(bool condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "fringe: %s\n", message);
  exit(EXIT_FAILURE);
}

static tree make(tree left, tree right, long number) {
  tree made = spgc_allocate(&tree_type);
  made->left = left;
  made->right = right;
  made->number = number;
  return made;
}

/* `share` percent of the leaves are on the left of each node. */
static tree grow(long first, long last, long share) {
  if (first == last)
    return make(NULL, NULL, first);
  long middle = first + (last - first) * share / 100;
  tree left = grow(first, middle, share);
  return make(left, grow(middle + 1, last, share), 0);
}

/* ---- A generator ---- */

/* A fiber is not an object. It yields through a variable, because a switch must not pass a
 * reference. */
struct leaves {
  struct spgc_fiber *fiber, *consumer;
  tree next; /* the tree first, then each leaf, then null */
};

static struct leaves walks[2]; /* a global variable with references: roots */

static void visit(struct leaves *walk, tree at) {
  if (at->left) {
    visit(walk, at->left);
    visit(walk, at->right);
    return;
  }
  walk->next = make(NULL, NULL, at->number); /* a copy, to allocate in every frame */
  spgc_fiber_switch(walk->consumer, NULL);
}

static struct spgc_fiber_end walk_all(void *walk_of) {
  struct leaves *walk = walk_of;
  visit(walk, walk->next);
  walk->next = NULL;
  return (struct spgc_fiber_end){walk->consumer, NULL};
}

static void begin(struct leaves *walk, tree all) {
  struct spgc_error error;
  walk->consumer = spgc_fiber_current();
  walk->next = all;
  bool made = spgc_fiber_create(walk_all, NULL, 4 * SPGC_FIBER_STACK_LEAST, &walk->fiber, &error) ==
              SPGC_OK;
  require(made, error.message);
}

static tree next_leaf(struct leaves *walk) {
  spgc_fiber_switch(walk->fiber, walk); /* the first switch passes it to walk_all */
  return walk->next;
}

static long common_leaves(tree one, tree two) {
  long count = 0;
  begin(&walks[0], one);
  begin(&walks[1], two);
  for (;;) {
    tree a = next_leaf(&walks[0]), b = next_leaf(&walks[1]);
    if (!a || !b || a->number != b->number)
      break;
    count++;
  }
  /* An unfinished fiber is also released. Its frames are no longer roots then. */
  spgc_fiber_release(walks[0].fiber);
  spgc_fiber_release(walks[1].fiber);
  return count;
}

static void program(void *leaves_wanted) {
  long leaves = *(long *)leaves_wanted;
  tree even = grow(1, leaves, 50), leaning = grow(1, leaves, 90), other = grow(1, leaves / 2, 30);
  require(common_leaves(even, leaning) == leaves, "the leaves differ");
  require(common_leaves(other, even) == leaves / 2, "the shorter tree has other leaves");
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  require(statistics.collections > 0, "nothing was collected");
}

int main(int argc, char **argv) {
  long leaves = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  struct spgc_error error;
  require(leaves >= 4 && leaves <= 1000000, "usage: fringe LEAVES, from 4 to 1000000");
  require(spgc_main(NULL, program, &leaves, &error) == SPGC_OK, error.message);
  printf("%ld leaves, the same in two trees\n", leaves);
}
