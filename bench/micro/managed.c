#include "bench/micro/managed.h"

#include <stddef.h>

#include "spgc/type.h"

void REFERENCE *spgc_allocate(const struct spgc_type *type);
void REFERENCE *spgc_allocate_array(const struct spgc_type *type, uint64_t length);

static const uint32_t pair_references[] = {offsetof(struct pair, left),
                                           offsetof(struct pair, right)};
static const struct spgc_type pair_type = {.size = sizeof(struct pair),
                                           .reference_count = 2,
                                           .reference_offsets = pair_references,
                                           .name = "pair"};

static const uint32_t element[] = {0};
static const struct spgc_type pairs_type = {.size = sizeof(struct pairs),
                                            .element_size = sizeof(void REFERENCE *),
                                            .flags = SPGC_TYPE_TAIL,
                                            .element_reference_count = 1,
                                            .element_reference_offsets = element,
                                            .name = "pairs"};

struct pair REFERENCE *managed_allocate(uint64_t count, struct pair REFERENCE *left,
                                        struct pair REFERENCE *right) {
  struct pair REFERENCE *pair = NULL;
  while (count-- != 0) {
    pair = (struct pair REFERENCE *)spgc_allocate(&pair_type);
    pair->left = left;
    pair->right = right;
  }
  return pair;
}

struct pairs REFERENCE *managed_array(void) {
  return (struct pairs REFERENCE *)spgc_allocate_array(&pairs_type, UINT64_C(1)
                                                                        << PAIRS_LENGTH_BITS);
}

void managed_store(uint64_t count, struct pairs REFERENCE *array, struct pair REFERENCE *pair) {
  uint64_t place = 0;
  while (count-- != 0) {
    place = place_after(place);
    array->items[place >> (64 - PAIRS_LENGTH_BITS)] = pair;
  }
}
