/* Puts objects into a hash map and a red-black tree, and takes them out again, at random, checked
 * against a C array of the present keys.
 *
 *   containers KEYS */
#include "hash_map.h"
#include "tree_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/main.h"

enum { STEPS_FOR_EACH_KEY = 4 };

struct number {
  const struct spgc_type *type;
  int64_t number;
};

static const struct spgc_type number_type = SPGC_DATA_TYPE(struct number);

static hash_map names; /* roots */
static node numbers;
static int64_t keys, present, removed;
static bool *is_present;

static void require(bool condition, const char *message) {
  if (condition)
    return;
  fprintf(stderr, "containers: %s\n", message);
  exit(EXIT_FAILURE);
}

/* The texts become garbage after each use. */
static text name_of(int64_t number) {
  char bytes[32];
  snprintf(bytes, sizeof bytes, "number %" PRId64, number);
  return text_make(bytes);
}

static int64_t random_key(void) {
  static uint64_t state = 1;
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((state >> 33) % (uint64_t)keys);
}

static void add(int64_t key) {
  struct number SPGC_MANAGED *value = spgc_allocate(&number_type);
  value->number = key;
  hash_map_set(names, name_of(key), value);
  numbers = tree_set(numbers, key, value);
  present += !is_present[key];
  is_present[key] = true;
}

static void take(int64_t key) {
  require(hash_map_remove(names, name_of(key)) == is_present[key], "the map had other keys");
  numbers = tree_remove(numbers, key);
  present -= is_present[key];
  removed += is_present[key];
  is_present[key] = false;
}

static void check_values(void) {
  for (int64_t key = 0; key < keys; key++) {
    struct number SPGC_MANAGED *value = hash_map_get(names, name_of(key));
    require((value != NULL) == is_present[key], "the map has other keys");
    require(!value || value->number == key, "the map has another value");
    require(value == tree_get(numbers, key), "the tree has another object");
  }
}

static void check_order(void) {
  int64_t count = 0, last = -1;
  for (node at = tree_first(numbers); at; at = tree_after(numbers, at->key)) {
    require(at->key > last && is_present[at->key], "the tree's keys are out of order");
    last = at->key;
    count++;
  }
  require(count == present, "a visit of the tree left out keys");
}

static void check(void) {
  require((int64_t)names->size == present, "the map has another size");
  require(tree_check(numbers, 0, keys - 1) >= 0, "the tree is not red-black");
  check_order();
}

static void program(void *statistics) {
  names = hash_map_make();
  for (int64_t step = 0; step < STEPS_FOR_EACH_KEY * keys; step++) {
    int64_t key = random_key();
    if (random_key() < keys / 2)
      add(key);
    else
      take(key);
    if (step % (keys / 20 + 1) == 0)
      check();
  }
  check_values();
  spgc_collect(SPGC_COLLECTION_FULL);
  check_values();
  for (int64_t key = 0; key < keys; key++)
    take(key);
  require(present == 0 && names->size == 0 && !numbers, "a key is still there");
  spgc_statistics_read(statistics);
}

int main(int argc, char **argv) {
  keys = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
  require(keys >= 4 && keys <= 1000000, "usage: containers KEYS (4 to 1000000)");
  is_present = calloc((size_t)keys, sizeof *is_present);
  require(is_present != NULL, "out of memory");
  struct spgc_statistics statistics;
  struct spgc_error error;
  if (spgc_main(NULL, program, &statistics, &error) != SPGC_OK)
    require(false, error.message);
  require(statistics.collections > 0, "nothing was collected");
  printf("%" PRId64 " keys: %" PRId64 " removed in any order, all others found\n", keys, removed);
  free(is_present);
}
