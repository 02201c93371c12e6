#include "bench/micro/managed.h"

static const struct spgc_type pair_type =
    SPGC_OBJECT_TYPE(struct pair, SPGC_OFFSET(struct pair, left), SPGC_OFFSET(struct pair, right));
static const struct spgc_type pairs_type = SPGC_ARRAY_TYPE(struct pairs, items, 0);

struct pair REFERENCE *managed_allocate(uint64_t count, struct pair REFERENCE *left,
                                        struct pair REFERENCE *right) {
  struct pair REFERENCE *pair = NULL;
  while (count-- != 0) {
    pair = spgc_allocate(&pair_type);
    pair->left = left;
    pair->right = right;
  }
  return pair;
}

struct pair REFERENCE *managed_tree(unsigned depth) {
  struct pair REFERENCE *left = depth == 0 ? NULL : managed_tree(depth - 1);
  struct pair REFERENCE *right = depth == 0 ? NULL : managed_tree(depth - 1);
  struct pair REFERENCE *pair = spgc_allocate(&pair_type);
  pair->left = left;
  pair->right = right;
  return pair;
}

struct pairs REFERENCE *managed_array(void) {
  return spgc_allocate_array(&pairs_type, UINT64_C(1) << PAIRS_LENGTH_BITS);
}

void managed_store(uint64_t count, struct pairs REFERENCE *array, struct pair REFERENCE *pair) {
  uint64_t place = 0;
  while (count-- != 0) {
    place = place_after(place);
    array->items[place >> (64 - PAIRS_LENGTH_BITS)] = pair;
  }
}
