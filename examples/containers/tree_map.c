/* After R. Sedgewick, Left-leaning Red-Black Trees, 2008. */
#include "tree_map.h"

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, left), SPGC_OFFSET(struct node, right),
                     SPGC_OFFSET(struct node, value));

static bool is_red(node tree) {
  return tree && tree->is_red;
}

static node rotate_left(node tree) {
  node right = tree->right;
  tree->right = right->left;
  right->left = tree;
  right->is_red = tree->is_red;
  tree->is_red = true;
  return right;
}

static node rotate_right(node tree) {
  node left = tree->left;
  tree->left = left->right;
  left->right = tree;
  left->is_red = tree->is_red;
  tree->is_red = true;
  return left;
}

static void flip_colours(node tree) {
  tree->is_red = !tree->is_red;
  tree->left->is_red = !tree->left->is_red;
  tree->right->is_red = !tree->right->is_red;
}

static node balance(node tree) {
  if (is_red(tree->right) && !is_red(tree->left))
    tree = rotate_left(tree);
  if (is_red(tree->left) && is_red(tree->left->left))
    tree = rotate_right(tree);
  if (is_red(tree->left) && is_red(tree->right))
    flip_colours(tree);
  return tree;
}

static node insert(node tree, int64_t key, void SPGC_MANAGED *value) {
  if (!tree) {
    node made = spgc_allocate(&node_type);
    made->key = key;
    made->value = value;
    made->is_red = true;
    return made;
  }
  if (key < tree->key)
    tree->left = insert(tree->left, key, value);
  else if (key > tree->key)
    tree->right = insert(tree->right, key, value);
  else
    tree->value = value;
  return balance(tree);
}

node tree_set(node tree, int64_t key, void SPGC_MANAGED *value) {
  tree = insert(tree, key, value);
  tree->is_red = false;
  return tree;
}

static node find(node tree, int64_t key) {
  while (tree && tree->key != key)
    tree = key < tree->key ? tree->left : tree->right;
  return tree;
}

void SPGC_MANAGED *tree_get(node tree, int64_t key) {
  node found = find(tree, key);
  return found ? found->value : NULL;
}

node tree_first(node tree) {
  while (tree && tree->left)
    tree = tree->left;
  return tree;
}

node tree_after(node tree, int64_t key) {
  node after = NULL;
  while (tree) {
    if (key < tree->key)
      after = tree;
    tree = key < tree->key ? tree->left : tree->right;
  }
  return after;
}

/* A removal descends with the invariant that the node, or the child it descends to, is red. So the
 * removed node is red, and no path loses a black one. */

static node move_red_left(node tree) {
  flip_colours(tree);
  if (is_red(tree->right->left)) {
    tree->right = rotate_right(tree->right);
    tree = rotate_left(tree);
    flip_colours(tree);
  }
  return tree;
}

static node move_red_right(node tree) {
  flip_colours(tree);
  if (is_red(tree->left->left)) {
    tree = rotate_right(tree);
    flip_colours(tree);
  }
  return tree;
}

static node remove_first(node tree) {
  if (!tree->left)
    return NULL;
  if (!is_red(tree->left) && !is_red(tree->left->left))
    tree = move_red_left(tree);
  tree->left = remove_first(tree->left);
  return balance(tree);
}

static node remove_key(node tree, int64_t key);

static node remove_at_or_right(node tree, int64_t key) {
  if (is_red(tree->left))
    tree = rotate_right(tree);
  if (!tree->right) /* so there is no left child either */
    return NULL;
  if (!is_red(tree->right) && !is_red(tree->right->left))
    tree = move_red_right(tree);
  if (key != tree->key) {
    tree->right = remove_key(tree->right, key);
  } else { /* the next node's contents move here, and that node is removed */
    node next = tree_first(tree->right);
    tree->key = next->key;
    tree->value = next->value;
    tree->right = remove_first(tree->right);
  }
  return balance(tree);
}

static node remove_key(node tree, int64_t key) {
  if (key >= tree->key)
    return remove_at_or_right(tree, key);
  if (!is_red(tree->left) && !is_red(tree->left->left))
    tree = move_red_left(tree);
  tree->left = remove_key(tree->left, key);
  return balance(tree);
}

node tree_remove(node tree, int64_t key) {
  if (!find(tree, key))
    return tree;
  if (!is_red(tree->left))
    tree->is_red = true; /* establishes the invariant */
  tree = remove_key(tree, key);
  if (tree)
    tree->is_red = false;
  return tree;
}

int tree_check(node tree, int64_t least, int64_t most) {
  if (!tree)
    return 0;
  if (tree->key < least || tree->key > most || is_red(tree->right) ||
      (tree->is_red && is_red(tree->left)))
    return -1;
  int left = tree_check(tree->left, least, tree->key - 1);
  int right = tree_check(tree->right, tree->key + 1, most);
  return left < 0 || left != right ? -1 : left + !tree->is_red;
}
