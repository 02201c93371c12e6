#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/print.h"
#include "spgc/allocate.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_running.h"

static void show_body(void) {
  struct spgc_handle list = spgc_handle_make(lox_list_make(3)), text = lox_text("a");
  lox_shows(spgc_handle_get(list), "[nil, nil, nil]");
  spgc_store(lox_item(spgc_handle_get(list), 0), lox_number(1));
  spgc_store(lox_item(spgc_handle_get(list), 1), lox_boolean(false));
  spgc_store(lox_item(spgc_handle_get(list), 2), spgc_handle_get(text));
  lox_shows(spgc_handle_get(list), "[1, false, a]");
  lox_shows(lox_list_make(0), "[]");
}

START_TEST(lists_show_their_items) {
  lox_running(show_body);
}
END_TEST

static void cyclic_body(void) {
  struct spgc_handle outer = spgc_handle_make(lox_list_make(0)),
                     inner = spgc_handle_make(lox_list_make(0));
  lox_list_push(spgc_handle_get(outer), spgc_handle_get(inner));
  lox_list_push(spgc_handle_get(outer), spgc_handle_get(inner));
  lox_list_push(spgc_handle_get(inner), lox_number(1));
  lox_shows(spgc_handle_get(outer), "[[1], [1]]");
  lox_list_push(spgc_handle_get(inner), spgc_handle_get(outer));
  lox_shows(spgc_handle_get(outer), "[[1, [...]], [1, [...]]]");
  lox_shows(spgc_handle_get(inner), "[1, [[...], [...]]]");
  lox_list_push(spgc_handle_get(inner), spgc_handle_get(inner));
  lox_shows(spgc_handle_get(inner), "[1, [[...], [...]], [...]]");
}

START_TEST(lists_that_contain_themselves_show_finitely) {
  lox_running(cyclic_body);
}
END_TEST

static void deep_body(void) {
  int depth = lox_running_under_stress() ? 500 : 300000;
  struct spgc_handle list = spgc_handle_make(lox_list_make(0));
  for (int i = 0; i < depth; i++) {
    struct spgc_ref outer = lox_list_make(1);
    spgc_store(lox_item(outer, 0), spgc_handle_get(list));
    spgc_handle_set(list, outer);
  }
  struct lox_writer writer = {.in_memory = true};
  lox_write_value(&writer, spgc_handle_get(list));
  ck_assert(!writer.out_of_memory);
  ck_assert_uint_eq(writer.length, 2 * (size_t)(depth + 1));
  free(writer.bytes);
}

START_TEST(deeply_nested_lists_show) {
  lox_running(deep_body);
}
END_TEST

enum { STEPS = 4000 };

static double random_model[STEPS];

static void check_item(struct spgc_handle list, size_t index) {
  struct spgc_ref value = spgc_slot_load(lox_item(spgc_handle_get(list), index));
  ck_assert(lox_is_kind(value, LOX_OBJECT_LIST));
  ck_assert(lox_to_double(spgc_slot_load(lox_item(value, 0))) == random_model[index]);
}

/* An object that can move. */
static struct spgc_ref boxed(double number) {
  struct spgc_ref list = lox_list_make(1);
  spgc_store(lox_item(list, 0), lox_number(number));
  return list;
}

static void random_body(void) {
  struct spgc_handle list = spgc_handle_make(lox_list_make(0));
  size_t count = 0;
  for (int step = 0; step < STEPS; step++) {
    bool growing = (step / 500) % 2 == 0;
    if (rand() % 4 < (growing ? 3 : 1)) {
      struct spgc_ref value = boxed(step);
      lox_list_push(spgc_handle_get(list), value);
      random_model[count++] = step;
    } else if (count > 0) {
      struct spgc_ref value = lox_list_pop(spgc_handle_get(list));
      ck_assert(lox_to_double(spgc_slot_load(lox_item(value, 0))) == random_model[--count]);
    }
    if (count > 0 && rand() % 2 == 0) {
      size_t index = (size_t)rand() % count;
      struct spgc_ref value = boxed(-step);
      spgc_store(lox_item(spgc_handle_get(list), index), value);
      random_model[index] = -step;
      check_item(list, (size_t)rand() % count);
    }
    ck_assert_uint_eq(lox_as_list(spgc_handle_get(list))->count, count);
  }
  for (size_t i = 0; i < count; i++)
    check_item(list, i);
}

START_TEST(random_pushes_pops_and_stores_match_a_model) {
  unsigned seed = (unsigned)time(NULL);
  fprintf(stderr, "seed %u\n", seed);
  srand(seed);
  lox_running(random_body);
}
END_TEST

static uint64_t capacity_of(struct spgc_handle list) {
  return lox_as_list_store(lox_as_list(spgc_handle_get(list))->store)->capacity;
}

static void shrink_body(void) {
  struct spgc_handle list = spgc_handle_make(lox_list_make(0));
  for (int i = 0; i < 1000; i++)
    lox_list_push(spgc_handle_get(list), lox_number(i));
  ck_assert_uint_eq(capacity_of(list), 1024);
  for (int i = 999; i >= 0; i--) {
    ck_assert(lox_to_double(lox_list_pop(spgc_handle_get(list))) == i);
    ck_assert_uint_le(capacity_of(list), i < 4 ? 8 : (uint64_t)i * 4 + 4);
  }
}

START_TEST(a_list_gives_unused_room_back) {
  lox_running(shrink_body);
}
END_TEST

static struct spgc_ref some_list(void) {
  return lox_list_make(2);
}
static void index_nil(void) {
  lox_error_index(lox_nil(), lox_number(0));
}
static void index_string(void) {
  lox_error_index(spgc_handle_get(lox_text("text")), lox_number(0));
}
static void index_with_text(void) {
  struct spgc_handle list = spgc_handle_make(some_list());
  struct spgc_ref text = spgc_handle_get(lox_text("0."));
  lox_error_index(spgc_handle_get(list), text);
}
static void index_with_fraction(void) {
  lox_error_index(some_list(), lox_number(0.5));
}
static void index_with_nan(void) {
  lox_error_index(some_list(), lox_number(0.0 / 0.0));
}
static void index_below(void) {
  lox_error_index(some_list(), lox_number(-1));
}
static void index_beyond(void) {
  lox_error_index(some_list(), lox_number(2));
}

START_TEST(wrong_indexes_are_runtime_errors) {
  lox_running_start();
  lox_running_raises(index_nil, "Only lists can be indexed.");
  lox_running_raises(index_string, "Only lists can be indexed.");
  lox_running_raises(index_with_text, "List index must be an integer.");
  lox_running_raises(index_with_fraction, "List index must be an integer.");
  lox_running_raises(index_with_nan, "List index must be an integer.");
  lox_running_raises(index_below, "List index out of range.");
  lox_running_raises(index_beyond, "List index out of range.");
  lox_running_stop();
}
END_TEST

CHECK_MAIN_WITHIN(120, "lox-runtime-list", lists_show_their_items,
                  lists_that_contain_themselves_show_finitely, deeply_nested_lists_show,
                  random_pushes_pops_and_stores_match_a_model, a_list_gives_unused_room_back,
                  wrong_indexes_are_runtime_errors)
