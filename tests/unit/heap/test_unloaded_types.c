/* The argument is a library, unloaded while objects of its types are in memory. */
#include <dlfcn.h>

#include "fatal_check.h"
#include "heap_world.h"
#include "tests/support/suite.h"

static const char *plugin;

static void unload_with_objects(void) {
  enum { OBJECTS = 5 };
  world_require("verify=full");
  world_open("");
  void *library = dlopen(plugin, RTLD_NOW);
  ck_assert_msg(library != NULL, "%s", dlerror());
  const struct spgc_type *type = dlsym(library, "plugin_type");
  for (int i = 0; i < OBJECTS; i++)
    spgc_handle_make(spgc_allocate(type));
  world_verify();
  ck_assert_int_eq(dlclose(library), 0);
  spgc_collect(SPGC_COLLECTION_FULL);
}

START_TEST(the_library_and_its_objects_are_named) {
  check_is_fatal(unload_with_objects, "type-plugin.so was unloaded while objects of its types were "
                                      "in memory, 5 at the last check");
}
END_TEST

START_TEST(a_library_without_objects_may_go) {
  world_require("verify=full");
  world_open("");
  for (int i = 0; i < 2; i++) {
    void *library = dlopen(plugin, RTLD_NOW);
    spgc_allocate(dlsym(library, "plugin_type"));
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
  tcase_add_test(tcase, the_library_and_its_objects_are_named);
  tcase_add_test(tcase, a_library_without_objects_may_go);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
