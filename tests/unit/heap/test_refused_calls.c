/* Errors name the call and the mistake. test_misuse.c has calls that end the process. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/pin.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"

static void expect(enum spgc_result result, enum spgc_result expected,
                   const struct spgc_error *error, const char *say) {
  ck_assert_int_eq(result, expected);
  ck_assert_msg(strstr(error->message, say) != NULL, "\"%s\" is not in: %s", say, error->message);
}

static struct spgc_ref within(struct spgc_ref object) {
  return spgc_ref_from_word(object.word + 8);
}

static void refuse_object(struct spgc_handle leaf, struct spgc_ref wrong) {
  struct spgc_error error;
  struct spgc_weak_map map;
  struct spgc_handle holder = world_new_holder(leaf);
  expect(spgc_pin(wrong, &error), SPGC_ERROR_INVALID_ARGUMENT, &error, "spgc_pin: ");
  expect(spgc_finalizer_register(wrong, spgc_ref_null(), &error), SPGC_ERROR_INVALID_ARGUMENT,
         &error, "spgc_finalizer_register: ");
  expect(spgc_weak_bind(wrong, 16, spgc_ref_null(), &error), SPGC_ERROR_INVALID_ARGUMENT, &error,
         "spgc_weak_bind: ");
  expect(spgc_weak_map_create(wrong, &map, &error), SPGC_ERROR_INVALID_ARGUMENT, &error,
         "spgc_weak_map_create: ");
  ck_assert_int_eq(spgc_weak_map_create(spgc_ref_null(), &map, &error), SPGC_OK);
  expect(spgc_weak_map_set(map, wrong, spgc_ref_null(), &error), SPGC_ERROR_INVALID_ARGUMENT,
         &error, "spgc_weak_map_set: ");
  if (!spgc_is_heap_reference(wrong))
    return;
  expect(spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET, wrong, &error),
         SPGC_ERROR_INVALID_ARGUMENT, &error, "spgc_weak_bind: the referent");
  expect(spgc_finalizer_register(spgc_handle_get(leaf), wrong, &error), SPGC_ERROR_INVALID_ARGUMENT,
         &error, "spgc_finalizer_register: the held word");
  expect(spgc_weak_map_set(map, spgc_handle_get(leaf), wrong, &error), SPGC_ERROR_INVALID_ARGUMENT,
         &error, "spgc_weak_map_set: the value");
}

START_TEST(what_is_no_object_is_refused) {
  world_open("");
  struct spgc_handle leaf = world_new_leaf(1),
                     large = spgc_handle_make(spgc_allocate_array(&world_bytes, 100000));
  refuse_object(leaf, spgc_ref_from_word(17));
  for (int i = 0; i < 3; i++) {
    refuse_object(leaf, within(spgc_handle_get(leaf)));
    refuse_object(leaf, spgc_ref_from_word(spgc_handle_get(leaf).word + 1));
    refuse_object(leaf, within(spgc_handle_get(large)));
    refuse_object(leaf, spgc_ref_from_word(spgc_handle_get(large).word + 65536));
    spgc_collect(i == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
  }
  ck_assert_int_eq(spgc_pin(spgc_handle_get(leaf), NULL), SPGC_OK);
  ck_assert_int_eq(spgc_pin(spgc_handle_get(large), NULL), SPGC_OK);
  spgc_unpin(spgc_handle_get(leaf));
  spgc_unpin(spgc_handle_get(large));
  world_close();
}
END_TEST

START_TEST(weak_fields_lie_where_nothing_else_does) {
  static const uint32_t offsets[] = {0, 8 + 1, 24, 32, UINT32_MAX};
  struct spgc_error error;
  world_open("");
  struct spgc_handle holder = world_new_holder(world_new_leaf(1));
  for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
    expect(spgc_weak_bind(spgc_handle_get(holder), offsets[i], spgc_ref_null(), &error),
           SPGC_ERROR_INVALID_ARGUMENT, &error, "spgc_weak_bind: offset");
  world_close();
}
END_TEST

static const struct options_row {
  struct spgc_options options;
  const char *say;
} wrong_options[] = {
    {{.stress = (enum spgc_stress)99}, "is not one of its constants"},
    {{.stress = SPGC_STRESS_EVERY_NTH_ALLOCATION}, "stress_interval is 0"},
    {{.stress = SPGC_STRESS_RANDOM}, "stress_probability is 0"},
    {{.stress = SPGC_STRESS_RANDOM, .stress_probability = -0.5}, "stress_probability is -0.5"},
    {{.stress = SPGC_STRESS_RANDOM, .stress_probability = 1.5}, "stress_probability is 1.5"},
    {{.stress = SPGC_STRESS_RANDOM, .stress_probability = NAN}, "stress_probability is nan"},
    {{.verify = (enum spgc_verify) - 1}, "is not one of its constants"},
    {{.move = (enum spgc_move)5}, "is not one of its constants"},
    {{.walk = (enum spgc_walk)99}, "is not one of its constants"},
    {{.concurrent = (enum spgc_concurrent)3}, "is not one of its constants"},
    {{.heap_limit = 4 << 20, .nursery_size = 5 << 20}, "above the heap limit"},
    {{.heap_limit = 4096}, "limit is 0 or from 2m to 16384g"},
    {{.nursery_size = 100}, "nursery is 0 or from 32k to the limit"},
    {{.growth = 10001}, "growth is 0 or from 1 to 10000 percent"},
    {{.threads = 17}, "threads is 0 or from 1 to 16"},
};

START_TEST(options_out_of_range_are_refused) {
  struct spgc_error error;
  unsetenv("SPGC_OPTIONS");
  struct spgc_options options = wrong_options[_i].options;
  options.size = sizeof options;
  expect(spgc_start(&options, &error), SPGC_ERROR_INVALID_ARGUMENT, &error, "spgc_start: ");
  ck_assert_msg(strstr(error.message, wrong_options[_i].say) != NULL, "%s", error.message);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  spgc_stop();
}
END_TEST

START_TEST(states_are_told) {
  struct spgc_error error;
  expect(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_ERROR_STATE, &error,
         "spgc_thread_attach: the heap is not started");
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  expect(spgc_start(NULL, &error), SPGC_ERROR_STATE, &error,
         "spgc_start: the heap is started already");
  expect(spgc_thread_attach(NULL, &error), SPGC_ERROR_INVALID_ARGUMENT, &error,
         "spgc_thread_attach: no base");
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  expect(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_ERROR_STATE, &error,
         "spgc_thread_attach: the thread is attached already");
  world_close();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-refused-calls");
  TCase *tcase = tcase_create("refused calls");
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, what_is_no_object_is_refused);
  tcase_add_test(tcase, weak_fields_lie_where_nothing_else_does);
  tcase_add_loop_test(tcase, options_out_of_range_are_refused, 0,
                      sizeof wrong_options / sizeof *wrong_options);
  tcase_add_test(tcase, states_are_told);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
