/* A collection that copies reads only the stored fields of a new large array, if it is reached. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/remembered/new_large.h"
#include "heap_world.h"
#include "support/random.h"
#include "tests/support/fatal_check.h"
#include "tests/support/suite.h"

enum { LONG = 8 << 20, WORDS = 2 }; /* elements; words before them */

static long page_faults(void) {
  struct rusage usage;
  ck_assert_int_eq(getrusage(RUSAGE_SELF, &usage), 0);
  return usage.ru_minflt;
}

/* Reading a page that was given back causes a fault. */
static void give_pages_back(struct spgc_handle array) {
  const uintptr_t page = 4096;
  uintptr_t first = (uintptr_t)world_field(array, WORDS) + page,
            end = (uintptr_t)world_field(array, WORDS + LONG);
  first = first / page * page, end = end / page * page;
  ck_assert_int_eq(madvise((void *)first, end - first, MADV_DONTNEED), 0);
}

START_TEST(a_collection_does_not_read_what_was_never_stored_to) {
  enum { PAGES = LONG * 8 / 4096, STEP = LONG / 64 };
  world_open_fixed("limit=1g,nursery=256m,verify=none,poison=off,concurrent=off");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, LONG));
  give_pages_back(array);
  for (unsigned i = 0; i < LONG; i += STEP) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(array, WORDS + i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
  }
  long before = page_faults();
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_int_lt(page_faults() - before, PAGES / 32);
  ck_assert_uint_eq(world_statistics().moved_bytes, 64 * world_leaf.size);
  for (unsigned i = 0; i < LONG; i += STEP) {
    const uint64_t *leaf = spgc_ref_memory(world_get(array, WORDS + i));
    ck_assert_uint_eq(leaf[1], i);
  }
  world_close();
}
END_TEST

/* Verification would refuse them. */
START_TEST(counts_of_stores_do_not_outlive_an_array) {
  enum { ARRAYS = 200, LENGTH = 1500, PAIRS = 20000 };
  world_open_fixed("limit=256m,nursery=32m,verify=full");
  for (int i = 0; i < ARRAYS; i++)
    spgc_allocate_array(&world_references, LENGTH);
  spgc_collect(SPGC_COLLECTION_MINOR);
  world_check_list(world_new_list(PAIRS), PAIRS);
  spgc_collect(SPGC_COLLECTION_FULL);
  world_verify();
  world_close();
}
END_TEST

START_TEST(a_new_array_that_is_dropped_keeps_nothing_alive) {
  enum { LENGTH = 10000 };
  world_open_fixed("limit=256m,nursery=16m");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, LENGTH));
  for (unsigned i = 0; i < LENGTH; i++) {
    struct spgc_scope inner = spgc_scope_open();
    world_set(array, WORDS + i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(inner);
  }
  spgc_scope_close(scope);
  world_collect_moving(SPGC_COLLECTION_MINOR, 0);
  world_close();
}
END_TEST

/* A collection reads all of the shortest. */
static const unsigned lengths[] = {
    100, SPGC_MOST_FRESH_ELEMENTS, SPGC_MOST_FRESH_ELEMENTS + 1, 1100, 5000, 20000, 70000};

static const uint32_t in_record[] = {0, 56};
static const struct spgc_type wide_records = {.size = 16,
                                              .flags = SPGC_TYPE_TAIL,
                                              .element_size = 80,
                                              .element_reference_count = 2,
                                              .element_reference_offsets = in_record,
                                              .name = "wide records"};
static const struct spgc_type *const types[] = {&world_references, &world_value_array,
                                                &wide_records};

static unsigned words_of(const struct spgc_type *type) {
  return type == &wide_records ? 10 : 1;
}

static unsigned first_word(const struct spgc_type *type) {
  return type->size / 8;
}

enum { ARRAYS = 4, LEAST_ID = 1 };

struct array {
  const struct spgc_type *type;
  struct spgc_handle handle;
  unsigned length;
  uint32_t *expected; /* each element's leaf, or 0 */
};

static void make(struct array *array, struct spgc_random *random) {
  free(array->expected);
  array->type = types[spgc_random_next(random) % 3];
  array->length = lengths[spgc_random_next(random) % (sizeof lengths / sizeof *lengths)];
  array->expected = calloc(array->length, sizeof *array->expected);
  spgc_handle_set(array->handle, spgc_allocate_array(array->type, array->length));
}

static unsigned word_at(const struct array *array, unsigned element) {
  return first_word(array->type) + element * words_of(array->type);
}

static void put(struct array *array, struct spgc_random *random, uint32_t number) {
  struct spgc_scope scope = spgc_scope_open();
  unsigned element = (unsigned)(spgc_random_next(random) % array->length);
  struct spgc_ref leaf = spgc_handle_get(world_new_leaf(number));
  world_set(array->handle, word_at(array, element), leaf);
  array->expected[element] = number;
  spgc_scope_close(scope);
}

static void check(const struct array *array) {
  for (unsigned i = 0; i < array->length; i++) {
    const uint64_t *leaf = spgc_ref_memory(world_get(array->handle, word_at(array, i)));
    if ((leaf == NULL) != (array->expected[i] == 0) ||
        (leaf != NULL && leaf[1] != array->expected[i]))
      ck_abort_msg("element %u of %u is not %u", i, array->length, array->expected[i]);
  }
}

static void collect_at_random(struct spgc_random *random) {
  uint64_t kind = spgc_random_next(random) % 8;
  spgc_collect(kind == 0 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
}

START_TEST(random_stores_into_new_arrays_survive) {
  struct spgc_random random = {world_number("SPGC_TEST_SEED", 1)};
  struct array arrays[ARRAYS] = {0};
  world_open("limit=256m");
  uint64_t steps = world_amount(400, 100, 40);
  uint32_t number = LEAST_ID;
  for (int i = 0; i < ARRAYS; i++) {
    arrays[i].handle = spgc_handle_make(spgc_ref_null());
    make(&arrays[i], &random);
  }
  for (uint64_t step = 0; step < steps; step++) {
    struct array *array = &arrays[spgc_random_next(&random) % ARRAYS];
    if (spgc_random_next(&random) % 4 == 0)
      make(array, &random);
    for (uint64_t stores = spgc_random_next(&random) % 40; stores != 0; stores--)
      put(array, &random, number++);
    if (spgc_random_next(&random) % 4 == 0)
      collect_at_random(&random);
    check(array);
  }
  for (int i = 0; i < ARRAYS; i++) {
    check(&arrays[i]);
    free(arrays[i].expected);
  }
  ck_assert_uint_gt(world_statistics().moved_bytes, 0);
  world_close();
}
END_TEST

enum { BLOCKS = 2, BLOCK_WORDS = SPGC_BLOCK_BYTES / 8, RUN_WORDS = BLOCKS * BLOCK_WORDS };

struct seen {
  uintptr_t base;
  uint8_t words[RUN_WORDS];
};

static void see(void *context, struct spgc_slot slot) {
  struct seen *seen = context;
  seen->words[((uintptr_t)slot.location - seen->base) / 8]++;
}

START_TEST(exactly_the_words_on_dirty_cards_of_held_groups_of_a_block_are_visited) {
  enum { ROUNDS = 200, CARDS = BLOCKS * SPGC_CARDS_PER_BLOCK, IN_CARD = SPGC_CARD_BYTES / 8 };
  static struct seen seen;
  static struct spgc_heap heap;
  struct spgc_random random = {1};
  ck_assert(spgc_heap_create(&heap, 64 << 20, SIZE_MAX, world_poisons()));
  for (int round = 0; round < ROUNDS; round++) {
    uint32_t index = spgc_blocks_take_run(&heap, BLOCKS * SPGC_BLOCK_BYTES);
    struct spgc_ref object = spgc_heap_first_object(&heap, index);
    uint64_t *words = (uint64_t *)object.word;
    for (unsigned i = 0; i < RUN_WORDS; i++)
      words[i] = 1; /* no line is zero */
    words[1] = RUN_WORDS - WORDS;
    spgc_object_set_header(object, (uintptr_t)&world_references);
    bool dirty[CARDS] = {false};
    for (uint64_t runs = spgc_random_next(&random) % 24; runs != 0; runs--) {
      size_t first = spgc_random_next(&random) % CARDS;
      size_t end = first + spgc_random_next(&random) % 70;
      for (size_t card = first; card < end && card < CARDS; card++) {
        dirty[card] = true;
        uintptr_t field = object.word + card * SPGC_CARD_BYTES;
        *spgc_card_of(&heap, field) = SPGC_CARD_DIRTY;
        heap.group_cards[(field - heap.base) >> SPGC_GROUP_CARD_SHIFT] = SPGC_CARD_DIRTY;
      }
    }
    spgc_condemn_nursery(&heap);
    ck_assert(spgc_new_large_is_noted(&heap, index));
    for (uint32_t block = 0; block < BLOCKS; block++) {
      bool *dirty_in_block = &dirty[block * SPGC_CARDS_PER_BLOCK];
      ck_assert(spgc_new_large_holds(&heap, index + block) ==
                (memchr(dirty_in_block, true, SPGC_CARDS_PER_BLOCK) != NULL));
      seen = (struct seen){.base = object.word};
      spgc_new_large_visit(&heap, index + block, object, see, &seen);
      for (unsigned i = WORDS; i < RUN_WORDS; i++)
        if (seen.words[i] != (i / BLOCK_WORDS == block && dirty[i / IN_CARD]))
          ck_abort_msg("word %u was visited %d times", i, seen.words[i]);
    }
    spgc_blocks_free_condemned(&heap);
  }
  spgc_heap_destroy(&heap);
}
END_TEST

/* The compiler does not note stores into others while they are fresh. */
START_TEST(only_arrays_of_many_elements_are_noted) {
  static struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, 64 << 20, SIZE_MAX, world_poisons()));
  uint32_t index = spgc_blocks_take_run(&heap, BLOCKS * SPGC_BLOCK_BYTES);
  struct spgc_ref object = spgc_heap_first_object(&heap, index);
  uint64_t *length = (uint64_t *)object.word + 1;
  spgc_object_set_header(object, (uintptr_t)&world_references);
  *length = SPGC_MOST_FRESH_ELEMENTS;
  ck_assert(!spgc_new_large_is_noted(&heap, index));
  *length = SPGC_MOST_FRESH_ELEMENTS + 1;
  ck_assert(spgc_new_large_is_noted(&heap, index));
  spgc_object_set_header(object, (uintptr_t)&world_leaf);
  ck_assert(!spgc_new_large_is_noted(&heap, index));
  spgc_heap_destroy(&heap);
}
END_TEST

/* As if a single group was stored to, and an old object followed. */
START_TEST(a_new_array_that_becomes_old_has_clean_cards_and_no_stores) {
  enum { GROUPS = BLOCKS * SPGC_GROUPS_PER_BLOCK };
  static struct spgc_heap heap;
  ck_assert(spgc_heap_create(&heap, 64 << 20, SIZE_MAX, world_poisons()));
  for (size_t stored = 0; stored < GROUPS; stored++) {
    uint32_t index = spgc_blocks_take_run(&heap, BLOCKS * SPGC_BLOCK_BYTES);
    struct spgc_ref object = spgc_heap_first_object(&heap, index);
    spgc_object_set_header(object, (uintptr_t)&world_references);
    size_t first = spgc_first_group(index);
    heap.cards[(first + stored) * SPGC_CARDS_PER_GROUP] = SPGC_CARD_DIRTY;
    heap.group_cards[first + stored] = SPGC_CARD_DIRTY;
    uint8_t *next = &heap.cards[(first + GROUPS) * SPGC_CARDS_PER_GROUP],
            *next_group = &heap.group_cards[first + GROUPS];
    *next = *next_group = SPGC_CARD_DEFERRED;
    spgc_promote_nursery(&heap);
    for (size_t group = first; group < first + GROUPS; group++) {
      ck_assert(spgc_cards_are_without(heap.cards + group * SPGC_CARDS_PER_GROUP, SPGC_CARD_DIRTY));
      ck_assert_uint_eq(heap.group_cards[group], SPGC_CARD_CLEAN);
      ck_assert_uint_eq(heap.group_stores[group], 0);
    }
    ck_assert_uint_eq(*next, SPGC_CARD_DEFERRED);
    ck_assert_uint_eq(*next_group, SPGC_CARD_DEFERRED);
    *next = *next_group = SPGC_CARD_CLEAN;
  }
  spgc_heap_destroy(&heap);
}
END_TEST

static void collect_without_a_barrier(void) {
  world_open_fixed("verify=full");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, 5000));
  world_set_word(array, WORDS + 4000, spgc_handle_get(world_new_leaf(1)).word);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

START_TEST(verification_finds_a_store_without_a_barrier) {
  check_is_fatal(collect_without_a_barrier, "is in a new array, but its card is clean");
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-new-arrays");
  TCase *tcase = tcase_create("new arrays");
  tcase_set_timeout(tcase, 240);
  tcase_add_test(tcase, a_collection_does_not_read_what_was_never_stored_to);
  tcase_add_test(tcase, counts_of_stores_do_not_outlive_an_array);
  tcase_add_test(tcase, a_new_array_that_is_dropped_keeps_nothing_alive);
  tcase_add_test(tcase, random_stores_into_new_arrays_survive);
  tcase_add_test(tcase, exactly_the_words_on_dirty_cards_of_held_groups_of_a_block_are_visited);
  tcase_add_test(tcase, only_arrays_of_many_elements_are_noted);
  tcase_add_test(tcase, a_new_array_that_becomes_old_has_clean_cards_and_no_stores);
  tcase_add_test(tcase, verification_finds_a_store_without_a_barrier);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
