#include <dlfcn.h>

#include "api_steps.h"
#include "api_things.h"

static void register_module(struct api_life *life) {
  life->run = (struct spgc_global_roots){life->roots, API_ROOTS};
  life->module = (struct spgc_module){
      .version = SPGC_MODULE_VERSION, .roots = &life->run, .root_count = 1, .name = "random"};
  api_expect(life, spgc_module_register(&life->module, 0, NULL) == SPGC_OK, "spgc_module_register");
  life->registered = true;
}

void api_unregister_module(struct api_life *life) {
  for (unsigned i = 0; i < API_ROOTS; i++) {
    api_expect(life, api_number_at(life->roots[i]) == life->root_numbers[i],
               "a root is another thing");
    life->roots[i] = spgc_ref_null();
    life->root_numbers[i] = 0;
  }
  spgc_module_unregister(&life->module);
  life->registered = false;
}

void api_step_module(struct api_life *life) {
  if (life->registered && api_below(life, 3) == 0)
    api_unregister_module(life);
  else if (!life->registered)
    register_module(life);
  unsigned slot = api_some_slot(life), i = api_below(life, API_ROOTS);
  if (!life->registered || slot == API_THINGS)
    return;
  life->roots[i] = api_object_at(life, slot);
  life->root_numbers[i] = life->things[slot].number;
}

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;

static void *open_library(void *path) {
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *close_library(void *library) {
  dlclose(library);
  return NULL;
}

static void use_library(struct api_life *life, void *library) {
  struct spgc_module *module = dlsym(library, "api_random_module");
  struct spgc_ref *root = dlsym(library, "api_random_root");
  api_expect(life, module != NULL && root != NULL, "the library's symbols are not there");
  api_expect(life, spgc_module_register(module, 0, NULL) == SPGC_OK, "spgc_module_register");
  struct api_thing leaf = {.kind = API_LEAF, .number = api_new_number(life)};
  struct spgc_ref object = api_allocate_thing(&leaf);
  if (!spgc_ref_is_null(object)) {
    api_inscribe(&leaf, object);
    *root = object;
    spgc_collect(SPGC_COLLECTION_MINOR);
    api_check_contents(life, &leaf, *root);
  }
  *root = spgc_ref_null();
  spgc_module_unregister(module);
}

/* dlopen may be a cancellation point. */
void api_step_library(struct api_life *life) {
  if (life->ending == API_IS_CANCELLED || pthread_mutex_trylock(&library_lock) != 0)
    return;
  void *library = spgc_call_blocking(open_library, API_RANDOM_LIBRARY);
  api_expect(life, library != NULL, "dlopen");
  use_library(life, library);
  spgc_call_blocking(close_library, library);
  pthread_mutex_unlock(&library_lock);
}
