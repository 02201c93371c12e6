/* The argument is a library, unloaded while objects of its types are in memory. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fatal_check.h"
#include "heap/check.h"
#include "heap_world.h"
#include "log_lines.h"
#include "tests/support/suite.h"

static const char *plugin;

static void *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  ck_assert_msg(library != NULL, "%s", dlerror());
  return library;
}

/* The one whose place in the table of checked types is `place`. */
static const struct spgc_type *type_of(void *library, size_t place) {
  const struct spgc_type *types = dlsym(library, "plugin_types");
  size_t first = (uintptr_t)types / sizeof *types % SPGC_CHECKED_TYPES;
  return &types[(SPGC_CHECKED_TYPES + place - first) % SPGC_CHECKED_TYPES];
}

static const size_t places[] = {0, SPGC_CHECKED_TYPES - 1};
static size_t tested_place;

static void unload_with_objects(void) {
  enum { OBJECTS = 20 };
  world_require("verify=full");
  world_open("");
  void *library = load(plugin);
  for (int i = 0; i < OBJECTS; i++)
    spgc_handle_make(spgc_allocate(type_of(library, tested_place)));
  world_verify();
  ck_assert_int_eq(dlclose(library), 0);
  spgc_collect(SPGC_COLLECTION_FULL);
}

START_TEST(the_library_and_its_objects_are_named) {
  tested_place = places[_i];
  check_is_fatal(unload_with_objects, "type-plugin.so was unloaded while objects of its types were "
                                      "in memory, 20 at the last check");
}
END_TEST

START_TEST(a_library_without_objects_may_go) {
  world_require("verify=full");
  world_open("");
  for (int i = 0; i < 2; i++) {
    void *library = load(plugin);
    spgc_allocate(type_of(library, 0));
    world_verify();
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_int_eq(dlclose(library), 0);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

/* A copy of the plugin, which is another library for the loader. */
static void *load_copy(unsigned number) {
  char command[300], name[16];
  snprintf(name, sizeof name, "%u.so", number);
  snprintf(command, sizeof command, "cp %s %s", plugin, log_path(name));
  ck_assert_int_eq(system(command), 0);
  return load(log_path(name));
}

/* As many as are remembered; the program's own types take no place. The first one is unloaded. */
static void unload_first_of_many(void) {
  enum { LIBRARIES = 64 };
  world_require("verify=full");
  world_open("");
  void *first = NULL;
  world_new_leaf(0);
  for (unsigned i = 0; i < LIBRARIES; i++) {
    void *library = load_copy(i);
    first = i == 0 ? library : first;
    spgc_handle_make(spgc_allocate(type_of(library, SPGC_CHECKED_TYPES / LIBRARIES * i)));
    world_verify();
  }
  ck_assert_int_eq(dlclose(first), 0);
  spgc_collect(SPGC_COLLECTION_FULL);
}

START_TEST(many_libraries_are_known) {
  log_folder_make();
  check_is_fatal(unload_first_of_many, "0.so was unloaded while objects of its types were in "
                                       "memory, 1 at the last check");
  log_folder_remove();
}
END_TEST

/* One check notes both, the lower one first. */
static void unload_upper_of_two(void) {
  world_require("verify=full");
  world_open("");
  void *lower = load_copy(0), *upper = load_copy(1);
  if ((uintptr_t)dlsym(lower, "plugin_types") > (uintptr_t)dlsym(upper, "plugin_types")) {
    void *first = lower;
    lower = upper;
    upper = first;
  }
  for (int i = 0; i < 2; i++)
    spgc_handle_make(spgc_allocate(type_of(lower, 0)));
  spgc_handle_make(spgc_allocate(type_of(upper, SPGC_CHECKED_TYPES / 2)));
  world_verify();
  ck_assert_int_eq(dlclose(upper), 0);
  spgc_collect(SPGC_COLLECTION_FULL);
}

START_TEST(a_library_is_known_above_another) {
  log_folder_make();
  check_is_fatal(unload_upper_of_two, "was unloaded while objects of its types were in memory, 1 "
                                      "at the last check");
  log_folder_remove();
}
END_TEST

int main(int count, char **words) {
  Suite *suite = suite_create("heap-unloaded-types");
  TCase *tcase = tcase_create("unloaded types");
  plugin = count == 2 ? words[1] : NULL;
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, the_library_and_its_objects_are_named, 0,
                      sizeof places / sizeof places[0]);
  tcase_add_test(tcase, a_library_without_objects_may_go);
  tcase_add_test(tcase, many_libraries_are_known);
  tcase_add_test(tcase, a_library_is_known_above_another);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
