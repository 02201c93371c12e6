/* W4: V8's splay benchmark: a splay tree whose nodes carry trees of payload; insertions and
 * removals. */
#include <stdbool.h>
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/random.h"
#include "bench/workloads/stall.h"
#include "bench/workloads/workload.h"

/* Its children are branches, and leaves at PAYLOAD_DEPTH. */
struct branch {
  OBJECT_HEADER
  void REFERENCE *left, *right;
};

struct numbers {
  ARRAY_HEADER
  int32_t items[];
};

struct leaf {
  OBJECT_HEADER
  struct numbers REFERENCE *array;
  uint32_t tag;
};

struct node {
  OBJECT_HEADER
  struct node REFERENCE *left, *right;
  void REFERENCE *payload;
  uint32_t key;
};

DESCRIBE_OBJECT(branch, left, right);
DESCRIBE_OBJECT(leaf, array);
DESCRIBE_OBJECT(node, left, right, payload);
DESCRIBE_DATA_ARRAY(numbers);

enum { PAYLOAD_DEPTH = 5, PAYLOAD_NUMBERS = 10, SAMPLED = 3 };

static struct node REFERENCE *root;

static struct leaf REFERENCE *new_leaf(uint32_t tag) {
  struct numbers REFERENCE *array = NEW_DATA_ARRAY(numbers, PAYLOAD_NUMBERS);
  for (int32_t i = 0; i < PAYLOAD_NUMBERS; i++)
    array->items[i] = i;
  struct leaf REFERENCE *leaf = NEW(leaf);
  leaf->array = array;
  leaf->tag = tag;
  return leaf;
}

static void REFERENCE *new_payload(unsigned depth, uint32_t tag) {
  if (depth == 0)
    return new_leaf(tag);
  void REFERENCE *left = new_payload(depth - 1, tag);
  void REFERENCE *right = new_payload(depth - 1, tag);
  struct branch REFERENCE *branch = NEW(branch);
  branch->left = left;
  branch->right = right;
  return branch;
}

static void drop_payload(unsigned depth, void REFERENCE *payload) {
  if (!MEMORY_IS_EXPLICIT)
    return;
  if (depth == 0) {
    DROP(((struct leaf REFERENCE *)payload)->array);
  } else {
    drop_payload(depth - 1, ((struct branch REFERENCE *)payload)->left);
    drop_payload(depth - 1, ((struct branch REFERENCE *)payload)->right);
  }
  DROP(payload);
}

static uint32_t payload_sum(unsigned depth, const void REFERENCE *payload) {
  if (depth == 0) {
    const struct leaf REFERENCE *leaf = payload;
    return leaf->tag + (uint32_t)leaf->array->items[SAMPLED];
  }
  const struct branch REFERENCE *branch = payload;
  return payload_sum(depth - 1, branch->left) + payload_sum(depth - 1, branch->right);
}

static struct node REFERENCE *new_node(uint32_t key, void REFERENCE *payload) {
  struct node REFERENCE *node = NEW(node);
  node->left = node->right = NULL;
  node->payload = payload;
  node->key = key;
  return node;
}

static struct node REFERENCE *rotate_right(struct node REFERENCE *node) {
  struct node REFERENCE *left = node->left;
  node->left = left->right;
  left->right = node;
  return left;
}

static struct node REFERENCE *rotate_left(struct node REFERENCE *node) {
  struct node REFERENCE *right = node->right;
  node->right = right->left;
  right->left = node;
  return right;
}

/* Sleator and Tarjan's top-down splay: brings the key, or one next to it, to the root. Like the
 * original, takes a new node to collect the two sides. */
static void splay_to_root(uint32_t key) {
  if (root == NULL)
    return;
  struct node REFERENCE *sides = new_node(0, NULL);
  struct node REFERENCE *left = sides, *right = sides, *current = root;
  while (key != current->key) {
    if (key < current->key) {
      if (current->left != NULL && key < current->left->key)
        current = rotate_right(current);
      if (current->left == NULL)
        break;
      right->left = current;
      right = current;
      current = current->left;
    } else {
      if (current->right != NULL && key > current->right->key)
        current = rotate_left(current);
      if (current->right == NULL)
        break;
      left->right = current;
      left = current;
      current = current->right;
    }
  }
  left->right = current->left;
  right->left = current->right;
  current->left = sides->right;
  current->right = sides->left;
  root = current;
  DROP(sides);
}

static bool contains(uint32_t key) {
  splay_to_root(key);
  return root != NULL && root->key == key;
}

/* The key is new. */
static void insert(uint32_t key, void REFERENCE *payload) {
  splay_to_root(key);
  struct node REFERENCE *node = new_node(key, payload);
  struct node REFERENCE *old = root;
  if (old != NULL && key > old->key) {
    node->left = old;
    node->right = old->right;
    old->right = NULL;
  } else if (old != NULL) {
    node->right = old;
    node->left = old->left;
    old->left = NULL;
  }
  root = node;
}

/* The key is there. */
static void remove_key(uint32_t key) {
  splay_to_root(key);
  struct node REFERENCE *removed = root;
  if (removed->left == NULL) {
    root = removed->right;
  } else {
    struct node REFERENCE *right = removed->right;
    root = removed->left;
    splay_to_root(key);
    root->right = right;
  }
  drop_payload(PAYLOAD_DEPTH, removed->payload);
  DROP(removed);
}

/* `key` if there is none; the tree must not be empty. */
static uint32_t key_below(uint32_t key) {
  splay_to_root(key);
  const struct node REFERENCE *node = root;
  if (node->key < key)
    return node->key;
  node = node->left;
  if (node == NULL)
    return key;
  while (node->right != NULL)
    node = node->right;
  return node->key;
}

static uint32_t insert_new(uint32_t *random) {
  uint32_t key;
  do {
    *random = random_after(*random);
    key = *random >> 1;
  } while (contains(key));
  insert(key, new_payload(PAYLOAD_DEPTH, key));
  return key;
}

static uint32_t walk(const struct node REFERENCE *node, uint32_t h) {
  if (node == NULL)
    return h;
  h = walk(node->left, h);
  h = h * 31 + (node->key + payload_sum(PAYLOAD_DEPTH, node->payload));
  return walk(node->right, h);
}

static void drop_nodes(struct node REFERENCE *node) {
  if (!MEMORY_IS_EXPLICIT || node == NULL)
    return;
  drop_nodes(node->left);
  drop_nodes(node->right);
  drop_payload(PAYLOAD_DEPTH, node->payload);
  DROP(node);
}

static uint64_t run(const uint64_t *arguments) {
  uint32_t random = RANDOM_SEED, h = 0;
  for (uint64_t i = 0; i < arguments[0]; i++)
    insert_new(&random);
  stall_begin();
  for (uint64_t i = 1; i <= arguments[1]; i++) {
    uint32_t removed = key_below(insert_new(&random));
    remove_key(removed);
    h = h * 31 + removed;
    stall_step();
  }
  h = walk(root, h);
  drop_nodes(root);
  root = NULL;
  return h;
}

const struct workload splay = {
    .name = "w4",
    .parameters = {{"nodes", 8000, 0, UINT32_MAX}, {"insertions", 1000000, 0, UINT32_MAX}},
    .known = {{{8000, 1000000}, 3995058053}},
    .run = run,
};
