#include "support/address_tree.h"

#include <stdlib.h>
#include <string.h>

static uint64_t priority(const struct address_node *node) {
  uint64_t hash = (node->key ^ node->identity << 1) * UINT64_C(0x9E3779B97F4A7C15);
  return (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
}

static bool precedes(uintptr_t key, uintptr_t identity, const struct address_node *node) {
  return key < node->key || (key == node->key && identity < node->identity);
}

static bool is_at(const struct address_node *node, uintptr_t key, uintptr_t identity) {
  return node->key == key && node->identity == identity;
}

static uintptr_t greater(uintptr_t value, const struct address_node *child) {
  return child != NULL && child->most > value ? child->most : value;
}

static struct address_node *update(struct address_node *node) {
  node->most = greater(greater(node->value, node->left), node->right);
  return node;
}

/* The node, or a copy that no reader knows. */
static struct address_node *own(struct address_edit *edit, struct address_node *node) {
  if (edit->node_bytes == 0)
    return node;
  struct address_node *copy = edit->spare;
  edit->spare = copy->older;
  edit->spare_count--;
  memcpy(copy, node, edit->node_bytes);
  node->older = edit->replaced;
  edit->replaced = node;
  edit->replaced_count++;
  return copy;
}

static void split(struct address_edit *edit, struct address_node *node,
                  const struct address_node *at, struct address_node **before,
                  struct address_node **after) {
  if (node == NULL) {
    *before = *after = NULL;
    return;
  }
  node = own(edit, node);
  if (precedes(at->key, at->identity, node)) {
    split(edit, node->left, at, before, &node->left);
    *after = update(node);
  } else {
    split(edit, node->right, at, &node->right, after);
    *before = update(node);
  }
}

static struct address_node *merge(struct address_edit *edit, struct address_node *before,
                                  struct address_node *after) {
  if (before == NULL || after == NULL)
    return before != NULL ? before : after;
  if (priority(before) > priority(after)) {
    before = own(edit, before);
    before->right = merge(edit, before->right, after);
    return update(before);
  }
  after = own(edit, after);
  after->left = merge(edit, before, after->left);
  return update(after);
}

static struct address_node *insert(struct address_edit *edit, struct address_node *node,
                                   struct address_node *added) {
  if (node == NULL || priority(added) > priority(node)) {
    split(edit, node, added, &added->left, &added->right);
    return update(added);
  }
  node = own(edit, node);
  if (precedes(added->key, added->identity, node))
    node->left = insert(edit, node->left, added);
  else
    node->right = insert(edit, node->right, added);
  return update(node);
}

void spgc_address_tree_insert(struct address_edit *edit, struct address_node *added) {
  edit->root = insert(edit, edit->root, added);
}

static struct address_node *take_out(struct address_edit *edit, struct address_node *node,
                                     const struct address_node *removed) {
  if (is_at(node, removed->key, removed->identity)) {
    struct address_node *rest = merge(edit, node->left, node->right);
    if (edit->node_bytes != 0) {
      node->older = edit->replaced;
      edit->replaced = node;
      edit->replaced_count++;
    }
    return rest;
  }
  node = own(edit, node);
  if (precedes(removed->key, removed->identity, node))
    node->left = take_out(edit, node->left, removed);
  else
    node->right = take_out(edit, node->right, removed);
  return update(node);
}

void spgc_address_tree_remove(struct address_edit *edit, const struct address_node *removed) {
  edit->root = take_out(edit, edit->root, removed);
}

/* An edit copies only nodes on the paths to the key's neighbours. */
static size_t paths_length(const struct address_node *node, uintptr_t key, uintptr_t identity) {
  size_t length = 0;
  for (; node != NULL && !is_at(node, key, identity); length++)
    node = precedes(key, identity, node) ? node->left : node->right;
  if (node == NULL)
    return length;
  for (const struct address_node *next = node->left; next != NULL; next = next->right)
    length++;
  for (const struct address_node *next = node->right; next != NULL; next = next->left)
    length++;
  return length;
}

static void add_spare(struct address_edit *edit, struct address_node *spare) {
  spare->older = edit->spare;
  edit->spare = spare;
  edit->spare_count++;
}

bool spgc_address_tree_reserve(struct address_edit *edit, uintptr_t key, uintptr_t identity,
                               size_t least) {
  size_t length = paths_length(edit->root, key, identity), needed = length > least ? length : least;
  while (edit->spare_count < needed) {
    struct address_node *spare = malloc(edit->node_bytes);
    if (spare == NULL)
      return false;
    add_spare(edit, spare);
  }
  return true;
}

void spgc_address_tree_reuse(struct address_edit *edit, size_t most) {
  for (struct address_node *node = edit->replaced, *older; node != NULL; node = older) {
    older = node->older;
    if (edit->spare_count < most)
      add_spare(edit, node);
    else
      free(node);
  }
  edit->replaced = NULL;
  edit->replaced_count = 0;
}

struct address_node *spgc_address_tree_before(struct address_node *root, uintptr_t key) {
  struct address_node *found = NULL;
  for (struct address_node *node = root; node != NULL;) {
    if (node->key <= key)
      found = node;
    node = node->key <= key ? node->right : node->left;
  }
  return found;
}

struct address_node *spgc_address_tree_find(struct address_node *root, uintptr_t key,
                                            uintptr_t identity) {
  struct address_node *node = root;
  while (node != NULL && !is_at(node, key, identity))
    node = precedes(key, identity, node) ? node->left : node->right;
  return node;
}

bool spgc_address_tree_meet(struct address_node *root, uintptr_t low, uintptr_t high,
                            address_visitor *visit, void *context) {
  for (struct address_node *node = root; node != NULL && node->most >= low; node = node->left) {
    if (node->key > high)
      continue;
    if (spgc_address_tree_meet(node->right, low, high, visit, context) ||
        (node->value >= low && visit(context, node)))
      return true;
  }
  return false;
}

bool spgc_address_tree_each(struct address_node *root, address_visitor *visit, void *context) {
  for (struct address_node *node = root; node != NULL; node = node->right)
    if (spgc_address_tree_each(node->left, visit, context) || visit(context, node))
      return true;
  return false;
}
