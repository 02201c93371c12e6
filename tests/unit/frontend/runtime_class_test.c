#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"
#include "tests/support/lox_classes.h"
#include "tests/support/lox_running.h"

static struct lox_name_literal cook_name = LOX_TEST_NAME("cook"), eat_name = LOX_TEST_NAME("eat"),
                               init_name = LOX_TEST_NAME("init"), size_name = LOX_TEST_NAME("size"),
                               wash_name = LOX_TEST_NAME("wash");

static struct lox_function_type base_init = LOX_TEST_METHOD("init", 2),
                                base_cook = LOX_TEST_METHOD("cook", 1),
                                base_eat = LOX_TEST_METHOD("eat", 0),
                                derived_cook = LOX_TEST_METHOD("cook", 3),
                                derived_wash = LOX_TEST_METHOD("wash", 0),
                                later_cook = LOX_TEST_METHOD("cook", 0);

static char base_construct;

static struct lox_name_literal *const base_fields[] = {&size_name, &eat_name};
static const struct lox_class_method base_methods[] = {
    {&init_name, &base_init}, {&cook_name, &base_cook}, {&eat_name, &base_eat}};
static const struct lox_class_site base = {.name = "Base",
                                           .methods = base_methods,
                                           .method_count = 3,
                                           .fields = base_fields,
                                           .field_count = 2,
                                           .initializer = &base_init,
                                           .construct = &base_construct};

static struct lox_name_literal *const derived_fields[] = {&size_name, &wash_name};
static const struct lox_class_method derived_methods[] = {{&wash_name, &derived_wash},
                                                          {&cook_name, &derived_cook}};
static const struct lox_class_site derived = {.name = "Derived",
                                              .methods = derived_methods,
                                              .method_count = 2,
                                              .fields = derived_fields,
                                              .field_count = 2};

static const struct lox_class_method twice_methods[] = {{&cook_name, &base_cook},
                                                        {&cook_name, &later_cook}};
static const struct lox_class_site twice = {
    .name = "Twice", .methods = twice_methods, .method_count = 2};

static const struct lox_function_type *method_at(struct spgc_handle class_object, uint64_t offset) {
  struct spgc_ref closure =
      *(struct spgc_ref *)((char *)spgc_ref_memory(spgc_handle_get(class_object)) + offset);
  return lox_as_closure(closure)->type;
}

static void inherit_body(void) {
  struct spgc_handle base_class = lox_declare(&base, lox_nil());
  struct spgc_handle derived_class = lox_declare(&derived, spgc_handle_get(base_class));
  ck_assert(spgc_ref_equal(lox_as_class(spgc_handle_get(derived_class))->superclass,
                           spgc_handle_get(base_class)));
  ck_assert(lox_is_nil(lox_as_class(spgc_handle_get(base_class))->superclass));
  ck_assert_uint_eq(lox_as_class(spgc_handle_get(derived_class))->method_count, 4);
  struct spgc_handle instance = lox_instantiate(derived_class);
  struct lox_invoke_cache cook = {.name = &cook_name, .argument_count = 3};
  struct lox_invoke_cache eat = {.name = &eat_name, .argument_count = 0};
  const struct lox_invoke_entry *entry = lox_invoke_miss(spgc_handle_get(instance), &cook);
  ck_assert_ptr_eq(entry, &cook.entries[0]);
  ck_assert_ptr_eq(method_at(derived_class, entry->offset), &derived_cook);
  ck_assert_ptr_eq(entry->code, derived_cook.method_code);
  ck_assert_ptr_eq(lox_invoke_miss(spgc_handle_get(instance), &cook), entry);
  ck_assert_uint_eq(cook.fill_count, 1);
  entry = lox_invoke_miss(spgc_handle_get(instance), &eat);
  ck_assert_ptr_eq(method_at(derived_class, entry->offset), &base_eat);
  ck_assert_ptr_eq(entry->shape, lox_as_instance(spgc_handle_get(instance))->shape);
  ck_assert_uint_eq(entry->shape->inline_slots, 3);
}

START_TEST(methods_are_inherited_and_overridden) {
  lox_running(inherit_body);
}
END_TEST

static void super_body(void) {
  struct spgc_handle base_class = lox_declare(&base, lox_nil());
  struct spgc_handle derived_class = lox_declare(&derived, spgc_handle_get(base_class));
  struct spgc_handle instance = lox_instantiate(derived_class);
  struct spgc_handle bound = spgc_handle_make(
      lox_super_get(spgc_handle_get(base_class), spgc_handle_get(instance), &cook_name));
  struct lox_bound_method *method = lox_as_bound_method(spgc_handle_get(bound));
  ck_assert_ptr_eq(method->type, &base_cook.bound_type);
  ck_assert_ptr_eq(lox_as_closure(method->closure)->type, &base_cook);
  ck_assert(spgc_ref_equal(method->receiver, spgc_handle_get(instance)));
}

START_TEST(super_finds_the_methods_of_the_superclass) {
  lox_running(super_body);
}
END_TEST

static void constructor_body(void) {
  struct spgc_handle base_class = lox_declare(&base, lox_nil());
  struct spgc_handle derived_class = lox_declare(&derived, spgc_handle_get(base_class));
  struct spgc_handle plain_class = lox_declare(&twice, lox_nil());
  const struct lox_layout *layout = lox_as_class(spgc_handle_get(derived_class))->layout;
  ck_assert_uint_eq(layout->type.call_key, 2);
  ck_assert_ptr_eq(layout->type.code, &base_construct);
  uint64_t offset = LOX_CLASS_METHODS + layout->initializer_index * sizeof(struct spgc_ref);
  ck_assert_ptr_eq(method_at(derived_class, offset), &base_init);
  layout = lox_as_class(spgc_handle_get(plain_class))->layout;
  ck_assert_uint_eq(layout->type.call_key, 0);
  ck_assert_ptr_eq(layout->type.code, (void *)lox_construct_default);
}

START_TEST(a_class_is_called_with_its_own_or_inherited_initializer) {
  lox_running(constructor_body);
}
END_TEST

static void twice_body(void) {
  struct spgc_handle class_object = lox_declare(&twice, lox_nil());
  ck_assert_uint_eq(lox_as_class(spgc_handle_get(class_object))->method_count, 1);
  struct lox_invoke_cache cook = {.name = &cook_name, .argument_count = 0};
  const struct lox_invoke_entry *entry =
      lox_invoke_miss(spgc_handle_get(lox_instantiate(class_object)), &cook);
  ck_assert_ptr_eq(method_at(class_object, entry->offset), &later_cook);
}

START_TEST(of_two_methods_with_one_name_the_later_counts) {
  lox_running(twice_body);
}
END_TEST

static void shadow_body(void) {
  struct spgc_handle instance = lox_instantiate(lox_declare(&twice, lox_nil()));
  struct lox_property_cache get = {.name = &cook_name};
  lox_shows(lox_get_miss(spgc_handle_get(instance), &get), "<fn cook>");
  ck_assert_ptr_null(get.entries[0].shape);
  struct lox_property_cache set = {.name = &cook_name};
  lox_set_miss(spgc_handle_get(instance), lox_number(7), &set);
  ck_assert(lox_to_double(lox_get_miss(spgc_handle_get(instance), &get)) == 7);
  struct lox_invoke_cache invoke = {.name = &cook_name, .argument_count = 9};
  ck_assert_ptr_eq(lox_invoke_miss(spgc_handle_get(instance), &invoke), &invoke.shadowed);
  ck_assert(lox_to_double(lox_shadowing_field(spgc_handle_get(instance))) == 7);
  ck_assert_uint_eq(invoke.fill_count, 0);
}

START_TEST(a_field_shadows_a_method) {
  lox_running(shadow_body);
}
END_TEST

static void show_body(void) {
  struct spgc_handle class_object = lox_declare(&twice, lox_nil());
  lox_shows(spgc_handle_get(class_object), "Twice");
  lox_shows(spgc_handle_get(lox_instantiate(class_object)), "Twice instance");
  lox_shows(spgc_handle_get(spgc_handle_make(lox_allocate(&base_eat.type))), "<fn eat>");
  lox_shows(lox_nil(), "nil");
  lox_shows(lox_boolean(true), "true");
  lox_shows(lox_boolean(false), "false");
  lox_shows(lox_number(-2.5), "-2.5");
}

START_TEST(values_show_as_the_language_says) {
  lox_running(show_body);
}
END_TEST

static struct spgc_ref derived_instance(void) {
  struct spgc_handle base_class = lox_declare(&base, lox_nil());
  return spgc_handle_get(lox_instantiate(lox_declare(&derived, spgc_handle_get(base_class))));
}
static void check_number(void) {
  lox_check_superclass(lox_number(1));
}
static void check_instance(void) {
  lox_check_superclass(derived_instance());
}
static void invoke_undefined(void) {
  struct lox_invoke_cache cache = {.name = &size_name};
  lox_invoke_miss(derived_instance(), &cache);
}
static void invoke_with_too_few(void) {
  struct lox_invoke_cache cache = {.name = &cook_name, .argument_count = 1};
  lox_invoke_miss(derived_instance(), &cache);
}
static void bind_undefined(void) {
  lox_super_get(spgc_handle_get(lox_declare(&base, lox_nil())), lox_nil(), &size_name);
}
static void call_instance(void) {
  lox_error_call(derived_instance(), 0);
}
static void call_class(void) {
  lox_error_call(spgc_handle_get(lox_declare(&base, lox_nil())), 1);
}
static void call_nil(void) {
  lox_error_call(lox_nil(), 0);
}

START_TEST(wrong_classes_and_calls_are_runtime_errors) {
  lox_running_start();
  lox_running_raises(check_number, "Superclass must be a class.");
  lox_running_raises(check_instance, "Superclass must be a class.");
  lox_running_raises(invoke_undefined, "Undefined property 'size'.");
  lox_running_raises(invoke_with_too_few, "Expected 3 arguments but got 1.");
  lox_running_raises(bind_undefined, "Undefined property 'size'.");
  lox_running_raises(call_instance, "Can only call functions and classes.");
  lox_running_raises(call_class, "Expected 2 arguments but got 1.");
  lox_running_raises(call_nil, "Can only call functions and classes.");
  lox_running_stop();
}
END_TEST

CHECK_MAIN_WITHIN(120, "lox-runtime-class", methods_are_inherited_and_overridden,
                  super_finds_the_methods_of_the_superclass,
                  a_class_is_called_with_its_own_or_inherited_initializer,
                  of_two_methods_with_one_name_the_later_counts, a_field_shadows_a_method,
                  values_show_as_the_language_says, wrong_classes_and_calls_are_runtime_errors)
