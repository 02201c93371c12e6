/* Search trees: built, mirrored in place, and rebuilt. */
#include "spgc/managed.h"

struct tree {
  const struct spgc_type *type;
  struct tree SPGC_MANAGED *left;
  struct tree SPGC_MANAGED *right;
  long key;
};

typedef struct tree SPGC_MANAGED *node;

static const uint32_t tree_references[] = {SPGC_OFFSET(struct tree, left),
                                           SPGC_OFFSET(struct tree, right)};
static const struct spgc_type tree_type = {.size = sizeof(struct tree),
                                           .reference_count = 2,
                                           .reference_offsets = tree_references,
                                           .name = "tree"};

static node make(node left, node right, long key) {
  node made = spgc_allocate(&tree_type);
  made->left = left;
  made->right = right;
  made->key = key;
  return made;
}

static node insert(node root, long key) {
  if (root == NULL)
    return make(NULL, NULL, key);
  if (key < root->key)
    root->left = insert(root->left, key);
  else if (key > root->key)
    root->right = insert(root->right, key);
  return root;
}

static node full(long depth) {
  if (depth == 0)
    return make(NULL, NULL, 1);
  node left = full(depth - 1);
  return make(left, full(depth - 1), 1);
}

static long count(node root) {
  return root == NULL ? 0 : root->key + count(root->left) + count(root->right);
}

static void mirror(node root) {
  if (root == NULL)
    return;
  node left = root->left;
  root->left = root->right;
  root->right = left;
  mirror(root->left);
  mirror(root->right);
}

static long weigh(node root, long *position) {
  if (root == NULL)
    return 0;
  long sum = weigh(root->left, position);
  sum += root->key * ++*position;
  node garbage = full(2);
  sum += count(garbage) - 7;
  return sum + weigh(root->right, position);
}

long managed_run(long n) {
  node root = NULL;
  for (long i = 0; i < n; i++)
    root = insert(root, (i * 101 + 17) % n);
  mirror(root);
  long position = 0;
  return weigh(root, &position);
}
