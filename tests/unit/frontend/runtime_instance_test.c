#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "spgc/allocate.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_classes.h"
#include "tests/support/lox_running.h"

static struct lox_name_literal names[] = {
    LOX_TEST_NAME("a"), LOX_TEST_NAME("b"), LOX_TEST_NAME("c"), LOX_TEST_NAME("d"),
    LOX_TEST_NAME("e"), LOX_TEST_NAME("f"), LOX_TEST_NAME("g"), LOX_TEST_NAME("h"),
    LOX_TEST_NAME("i"), LOX_TEST_NAME("j"), LOX_TEST_NAME("k")};

enum { NAMES = sizeof names / sizeof names[0] };

static struct lox_name_literal *const predicted[] = {&names[0], &names[1], &names[2], &names[0]};
static const struct lox_class_site empty_site = {.name = "Empty"};
static const struct lox_class_site site = {.name = "Thing", .fields = predicted, .field_count = 4};

static struct lox_shape *shape_of(struct spgc_handle instance) {
  return lox_as_instance(spgc_handle_get(instance))->shape;
}

static void set(struct spgc_handle instance, int name, double value) {
  struct lox_property_cache cache = {.name = &names[name]};
  lox_set_miss(spgc_handle_get(instance), lox_number(value), &cache);
}

static double get(struct spgc_handle instance, int name) {
  struct lox_property_cache cache = {.name = &names[name]};
  return lox_to_double(lox_get_miss(spgc_handle_get(instance), &cache));
}

static void slots_body(void) {
  struct spgc_handle thing_class = lox_declare(&site, lox_nil());
  struct spgc_handle empty_class = lox_declare(&empty_site, lox_nil());
  ck_assert_uint_eq(shape_of(lox_instantiate(thing_class))->inline_slots, 3);
  ck_assert_uint_eq(shape_of(lox_instantiate(empty_class))->inline_slots, LOX_INLINE_SLOTS_MIN);
  ck_assert_uint_eq(shape_of(lox_instantiate(thing_class))->type.gc.size,
                    LOX_INSTANCE_SLOTS + 3 * 8);
}

START_TEST(instances_have_a_slot_for_each_predicted_field) {
  lox_running(slots_body);
}
END_TEST

static void order_body(void) {
  struct spgc_handle thing_class = lox_declare(&site, lox_nil());
  struct spgc_handle one = lox_instantiate(thing_class), two = lox_instantiate(thing_class);
  ck_assert_ptr_eq(shape_of(one), shape_of(two));
  for (int name = 0; name < 5; name++) {
    set(one, name, name);
    set(two, name, name);
    ck_assert_ptr_eq(shape_of(one), shape_of(two));
  }
  struct spgc_handle other = lox_instantiate(thing_class);
  set(other, 1, 1);
  set(other, 0, 0);
  ck_assert_uint_eq(shape_of(other)->field_count, 2);
  ck_assert_ptr_ne(shape_of(one)->fields, shape_of(other)->fields);
  ck_assert(get(other, 0) == 0 && get(other, 1) == 1);
}

START_TEST(equal_orders_of_fields_share_their_shapes) {
  lox_running(order_body);
}
END_TEST

static void again_body(void) {
  struct spgc_handle one = lox_declare(&site, lox_nil()), two = lox_declare(&site, lox_nil());
  ck_assert(!spgc_ref_equal(spgc_handle_get(one), spgc_handle_get(two)));
  ck_assert_ptr_eq(shape_of(lox_instantiate(one)), shape_of(lox_instantiate(two)));
}

START_TEST(a_declaration_run_twice_has_one_layout) {
  lox_running(again_body);
}
END_TEST

static void cached_body(void) {
  struct spgc_handle thing_class = lox_declare(&site, lox_nil());
  struct lox_property_cache add_a = {.name = &names[0]}, add_b = {.name = &names[1]};
  struct lox_property_cache get_b = {.name = &names[1]};
  int hits = 0;
  for (int i = 0; i < 10; i++) {
    struct spgc_handle thing = lox_instantiate(thing_class);
    lox_set_through(&add_a, spgc_handle_get(thing), lox_number(i), &hits);
    lox_set_through(&add_b, spgc_handle_get(thing), lox_number(2 * i), &hits);
    ck_assert(lox_to_double(lox_get_through(&get_b, spgc_handle_get(thing), &hits)) == 2 * i);
    ck_assert(get(thing, 0) == i);
  }
  ck_assert_int_eq(hits, 27);
}

START_TEST(caches_answer_every_access_but_the_first) {
  lox_running(cached_body);
}
END_TEST

enum { INSTANCES = 12, STEPS = 5000 };

struct model {
  struct spgc_handle instance;
  bool has[NAMES];
  double values[NAMES];
};

static struct lox_property_cache get_caches[NAMES];
static struct lox_property_cache set_caches[NAMES];

/* An object that can move. */
static struct spgc_ref boxed(double number) {
  struct spgc_ref list = lox_list_make(1);
  spgc_store(lox_item(list, 0), lox_number(number));
  return list;
}

static void check_field(const struct model *model, int name, int *hits) {
  struct spgc_ref value =
      lox_get_through(&get_caches[name], spgc_handle_get(model->instance), hits);
  ck_assert(lox_is_kind(value, LOX_OBJECT_LIST));
  ck_assert(lox_to_double(spgc_slot_load(lox_item(value, 0))) == model->values[name]);
}

static void random_body(void) {
  struct model models[INSTANCES] = {0};
  struct spgc_handle classes[] = {lox_declare(&site, lox_nil()),
                                  lox_declare(&empty_site, lox_nil())};
  for (int i = 0; i < INSTANCES; i++)
    models[i].instance = lox_instantiate(classes[i % 2]);
  for (int i = 0; i < NAMES; i++) {
    get_caches[i] = (struct lox_property_cache){.name = &names[i]};
    set_caches[i] = (struct lox_property_cache){.name = &names[i]};
  }
  int hits = 0;
  for (int step = 0; step < STEPS; step++) {
    struct model *model = &models[rand() % INSTANCES];
    int name = rand() % NAMES;
    if (rand() % 50 == 0) {
      struct spgc_ref fresh = lox_construct_default(spgc_handle_get(classes[rand() % 2]));
      spgc_handle_set(model->instance, fresh);
      for (int i = 0; i < NAMES; i++)
        model->has[i] = false;
    } else if (model->has[name] && rand() % 2 == 0) {
      check_field(model, name, &hits);
    } else {
      struct spgc_ref value = boxed(step);
      lox_set_through(&set_caches[name], spgc_handle_get(model->instance), value, &hits);
      model->has[name] = true;
      model->values[name] = step;
    }
  }
  for (int i = 0; i < INSTANCES; i++) {
    for (int name = 0; name < NAMES; name++) {
      if (models[i].has[name])
        check_field(&models[i], name, &hits);
    }
  }
  ck_assert_int_gt(hits, 0);
}

START_TEST(random_fields_of_many_shapes_match_a_model) {
  unsigned seed = (unsigned)time(NULL);
  fprintf(stderr, "seed %u\n", seed);
  srand(seed);
  lox_running(random_body);
}
END_TEST

enum { MANY = 2000 };

static void many_body(void) {
  static struct lox_name_literal literals[MANY];
  static char texts[MANY][8];
  struct spgc_handle instance = lox_instantiate(lox_declare(&empty_site, lox_nil()));
  for (int i = 0; i < MANY; i++) {
    int length = snprintf(texts[i], sizeof texts[i], "f%d", i);
    literals[i] = (struct lox_name_literal){.text = texts[i], .length = (uint64_t)length};
    struct lox_property_cache cache = {.name = &literals[i]};
    lox_set_miss(spgc_handle_get(instance), lox_number(i), &cache);
  }
  for (int i = 0; i < MANY; i++) {
    struct lox_property_cache cache = {.name = &literals[i]};
    ck_assert(lox_to_double(lox_get_miss(spgc_handle_get(instance), &cache)) == i);
  }
}

START_TEST(an_instance_can_grow_to_thousands_of_fields) {
  lox_running(many_body);
}
END_TEST

static void get_undefined(void) {
  get(lox_instantiate(lox_declare(&site, lox_nil())), 0);
}
static void get_of_number(void) {
  struct lox_property_cache cache = {.name = &names[0]};
  lox_get_miss(lox_number(1), &cache);
}
static void set_of_class(void) {
  set(lox_declare(&site, lox_nil()), 0, 1);
}
static void invoke_of_nil(void) {
  struct lox_invoke_cache cache = {.name = &names[0]};
  lox_invoke_miss(lox_nil(), &cache);
}

START_TEST(wrong_accesses_are_runtime_errors) {
  lox_running_start();
  lox_running_raises(get_undefined, "Undefined property 'a'.");
  lox_running_raises(get_of_number, "Only instances have properties.");
  lox_running_raises(set_of_class, "Only instances have fields.");
  lox_running_raises(invoke_of_nil, "Only instances have methods.");
  lox_running_stop();
}
END_TEST

CHECK_MAIN_WITHIN(120, "lox-runtime-instance", instances_have_a_slot_for_each_predicted_field,
                  equal_orders_of_fields_share_their_shapes, a_declaration_run_twice_has_one_layout,
                  caches_answer_every_access_but_the_first,
                  random_fields_of_many_shapes_match_a_model,
                  an_instance_can_grow_to_thousands_of_fields, wrong_accesses_are_runtime_errors)
