#include <stdio.h>
#include <stdlib.h>

#include "heap_world.h"
#include "support/random.h"
#include "tests/support/suite.h"
#include "worker_count.h"

static const unsigned thread_counts[] = {1, 2, 3, 4};

static void open_with_threads(void *base, const char *options, int index) {
  char text[120];
  snprintf(text, sizeof text, "%s,threads=%u", options, thread_counts[index]);
  world_open_fixed_at(base, text);
}

static uint64_t *words_at(struct spgc_handle array, unsigned index) {
  return spgc_ref_memory(world_get(array, 2 + index));
}

/* Even pairs refer to even pairs, odd pairs to odd ones. */
struct model {
  unsigned count;
  uint32_t (*edges)[2];
};

static struct model new_model(unsigned count, struct spgc_random *random) {
  struct model model = {count, malloc(count * sizeof *model.edges)};
  for (unsigned i = 0; i < count; i++)
    for (unsigned e = 0; e < 2; e++)
      model.edges[i][e] = (uint32_t)(spgc_random_next(random) % (count / 2) * 2 + i % 2);
  return model;
}

static struct spgc_handle new_graph(const struct model *model) {
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, model->count));
  for (unsigned i = 0; i < model->count; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[1] = i;
    world_set(array, 2 + i, pair);
  }
  for (unsigned i = 0; i < model->count; i++)
    for (unsigned e = 0; e < 2; e++)
      spgc_store(spgc_slot_at(words_at(array, i) + 2 + e),
                 world_get(array, 2 + model->edges[i][e]));
  return array;
}

/* Counts pair 0 itself. */
static unsigned count_reachable(const struct model *model) {
  bool *reached = calloc(model->count, sizeof *reached);
  uint32_t *queue = malloc(model->count * sizeof *queue);
  unsigned first = 0, end = 0;
  reached[0] = true;
  queue[end++] = 0;
  for (; first < end; first++)
    for (unsigned e = 0; e < 2; e++) {
      uint32_t next = model->edges[queue[first]][e];
      if (!reached[next]) {
        reached[next] = true;
        queue[end++] = next;
      }
    }
  free(reached);
  free(queue);
  return end;
}

static void check_graph(const struct model *model, struct spgc_handle root,
                        struct spgc_random *random) {
  for (int path = 0; path < 1000; path++) {
    const uint64_t *words = spgc_ref_memory(spgc_handle_get(root));
    uint32_t number = 0;
    for (int length = 0; length < 100; length++) {
      ck_assert_uint_eq(words[1], number);
      unsigned e = spgc_random_next(random) % 2;
      number = model->edges[number][e];
      words = (const uint64_t *)words[2 + e];
    }
  }
}

START_TEST(a_full_collection_finds_exactly_the_live_set) {
  enum { COUNT = 60000 };
  struct spgc_random random = {1};
  open_with_threads(__builtin_frame_address(0), "limit=512m", _i);
  struct model model = new_model(COUNT, &random);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle array = new_graph(&model);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().live_bytes,
                    COUNT * (world_pair.size + UINT64_C(8)) + world_references.size);
  struct spgc_ref first = world_get(array, 2);
  spgc_scope_close(scope);
  struct spgc_handle root = spgc_handle_make(first);
  for (int round = 0; round < 3; round++) {
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(world_statistics().live_bytes,
                      count_reachable(&model) * (uint64_t)world_pair.size);
    world_verify();
    check_graph(&model, root, &random);
  }
  ck_assert_uint_eq(worker_count(), thread_counts[_i] - 1);
  free(model.edges);
  world_close();
}
END_TEST

/* Part counts that are not powers of two, last parts that are not full. */
START_TEST(every_part_of_a_large_object_is_read) {
  static const unsigned lengths[] = {1023, 4096, 5000, 12290, 65536, 70001};
  enum { ARRAYS = sizeof lengths / sizeof lengths[0], STRIDE = 5 };
  open_with_threads(__builtin_frame_address(0), "limit=512m", _i);
  struct spgc_handle all = spgc_handle_make(spgc_allocate_array(&world_references, ARRAYS));
  uint64_t live = world_references.size + ARRAYS * UINT64_C(8);
  for (unsigned a = 0; a < ARRAYS; a++) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, lengths[a]));
    world_set(all, 2 + a, spgc_handle_get(array));
    for (unsigned i = lengths[a]; i-- > 0; i -= i < STRIDE ? i : STRIDE) {
      world_set(array, 2 + i, spgc_handle_get(world_new_leaf(i)));
      live += world_leaf.size;
    }
    live += world_references.size + lengths[a] * UINT64_C(8);
    spgc_scope_close(scope);
  }
  for (int round = 0; round < 3; round++) {
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(world_statistics().live_bytes, live);
    world_verify();
  }
  world_close();
}
END_TEST

/* Workers that meet survivors, and children on dirty cards, must mark them. */
START_TEST(workers_mark_while_they_evacuate) {
  enum { COUNT = 30000, ROUNDS = 500000 };
  struct spgc_random random = {7};
  open_with_threads(__builtin_frame_address(0), "limit=6m,nursery=512k,concurrent=off", _i);
  struct spgc_handle table = spgc_handle_make(spgc_allocate_array(&world_references, COUNT));
  for (unsigned i = 0; i < COUNT; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_set(table, 2 + i, spgc_handle_get(world_new_leaf(i)));
    spgc_scope_close(scope);
  }
  for (unsigned k = 0; k < ROUNDS; k++) {
    unsigned i = (unsigned)(spgc_random_next(&random) % COUNT),
             j = (unsigned)(spgc_random_next(&random) % COUNT);
    struct spgc_ref pair = spgc_allocate(&world_pair);
    uint64_t *words = spgc_ref_memory(pair);
    words[1] = i;
    words[2] = words_at(table, j)[0] == (uint64_t)&world_leaf ? world_get(table, 2 + j).word
                                                              : words_at(table, j)[2];
    world_set(table, 2 + i, pair);
  }
  struct spgc_statistics statistics = world_statistics();
  ck_assert_uint_ge(statistics.final_marks + statistics.full_collections, 3);
  ck_assert_uint_gt(statistics.minor_collections,
                    statistics.final_marks + statistics.full_collections);
  ck_assert_uint_eq(worker_count(), thread_counts[_i] - 1);
  world_verify();
  for (unsigned i = 0; i < COUNT; i++) {
    const uint64_t *words = words_at(table, i);
    ck_assert_uint_eq(words[1], i);
    if (words[0] == (uint64_t)&world_pair &&
        ((const uint64_t *)words[2])[0] != (uint64_t)&world_leaf)
      ck_abort_msg("element %u refers to no leaf", i);
  }
  world_close();
}
END_TEST

static Suite *suite(void) {
  Suite *suite = suite_create("marking");
  TCase *tests = tcase_create("marking");
  tcase_set_timeout(tests, 120);
  enum { COUNTS = sizeof thread_counts / sizeof thread_counts[0] };
  tcase_add_loop_test(tests, a_full_collection_finds_exactly_the_live_set, 0, COUNTS);
  tcase_add_loop_test(tests, every_part_of_a_large_object_is_read, 0, COUNTS);
  tcase_add_loop_test(tests, workers_mark_while_they_evacuate, WORLD_IS_SANITIZED ? COUNTS / 2 : 0,
                      COUNTS);
  suite_add_tcase(suite, tests);
  return suite;
}

int main(void) {
  return suite_run(suite());
}
