/* The argument is a library that is unloaded while objects of its types exist. */
#include <dlfcn.h>

#include "fatal_check.h"
#include "heap_world.h"
#include "tests/support/suite.h"

static const char *plugin;

static void *load(void) {
  void *library = dlopen(plugin, RTLD_NOW);
  ck_assert_msg(library != NULL, "%s", dlerror());
  return library;
}

static const struct spgc_type *type_of(void *library) {
  return dlsym(library, "plugin_type");
}

static void unload_with_object(void) {
  world_require("verify=full");
  world_open("");
  void *library = load();
  spgc_handle_make(spgc_allocate(type_of(library)));
  world_verify();
  ck_assert_int_eq(dlclose(library), 0);
  spgc_collect(SPGC_COLLECTION_FULL);
}

START_TEST(an_object_whose_library_is_gone_is_found) {
  check_is_fatal(unload_with_object, "its header leads to memory that is not readable; a library "
                                     "may have been closed");
}
END_TEST

START_TEST(a_library_without_objects_may_go) {
  world_require("verify=full");
  world_open("");
  for (int i = 0; i < 2; i++) {
    void *library = load();
    spgc_allocate(type_of(library));
    world_verify();
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_int_eq(dlclose(library), 0);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_close();
}
END_TEST

int main(int count, char **words) {
  Suite *suite = suite_create("heap-unloaded-types");
  TCase *tcase = tcase_create("unloaded types");
  plugin = count == 2 ? words[1] : NULL;
  tcase_set_timeout(tcase, 60);
  tcase_add_test(tcase, an_object_whose_library_is_gone_is_found);
  tcase_add_test(tcase, a_library_without_objects_may_go);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
