/* Fills a hash map and a red-black tree, which share their values, and checks both.
 *
 *   containers KEYS
 */
#include "hash_map.h"
#include "tree_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/main.h"

struct number {
  const struct spgc_type *type;
  int64_t number;
};

static const struct spgc_type number_type = SPGC_DATA_TYPE(struct number);

static hash_map names; /* roots */
static node numbers;
static int64_t keys; /* how many */

static void require(bool condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "containers: %s\n", message);
  exit(EXIT_FAILURE);
}

/* The texts are thrown away after each use. */
static text name_of(int64_t number) {
  char bytes[32];
  snprintf(bytes, sizeof bytes, "number %" PRId64, number);
  return text_make(bytes);
}

/* Visits each key once, in no order, because 7919 is a prime. */
static int64_t shuffled(int64_t number) {
  return number * 7919 % keys;
}

static void fill(void) {
  names = hash_map_make();
  for (int64_t i = 0; i < keys; i++) {
    struct number SPGC_MANAGED *value = spgc_allocate(&number_type);
    value->number = shuffled(i);
    hash_map_set(names, name_of(value->number), value);
    numbers = tree_set(numbers, value->number, value);
  }
}

static void check_all(void) {
  require((int64_t)names->size == keys, "the map has another size");
  require(tree_check(numbers, 0, keys - 1) > 0, "the tree is not red-black");
  for (int64_t i = 0; i < keys; i++) {
    struct number SPGC_MANAGED *value = hash_map_get(names, name_of(i));
    require(value && value->number == i, "the map has another value");
    require(value == tree_get(numbers, i), "the tree has another object");
  }
}

static void remove_half(void) {
  for (int64_t i = 0; i < keys / 2; i++) {
    require(hash_map_remove(names, name_of(i)), "a key is missing");
    numbers = tree_remove_first(numbers);
    require(tree_check(numbers, i + 1, keys - 1) >= 0, "the tree is not red-black any more");
  }
  require((int64_t)names->size == keys / 2 && !hash_map_get(names, name_of(0)),
          "a key is still there");
  require(numbers->left && tree_get(numbers, keys / 2), "a key too many was removed");
}

static void program(void *statistics) {
  fill();
  check_all();
  spgc_collect(SPGC_COLLECTION_FULL);
  check_all();
  remove_half();
  spgc_statistics_read(statistics);
}

int main(int argc, char **argv) {
  keys = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  require(keys >= 4 && keys % 7919 != 0, "usage: containers KEYS");
  struct spgc_statistics statistics;
  struct spgc_error error;
  if (spgc_main(NULL, program, &statistics, &error) != SPGC_OK)
    require(false, error.message);
  require(statistics.collections > 0, "nothing was collected");
  printf("%" PRId64 " keys, all found; half of them removed\n", keys);
}
