/* interposition_main N EXPECTED PLUGIN PLUGIN...: libraries define the same functions, so all run
 * those of the first, which is unloaded first. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

static int complain(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  return EXIT_FAILURE;
}

static int run(void *plugin, const char *path, int64_t argument, int64_t expected) {
  int64_t (*function)(int64_t) = (int64_t (*)(int64_t))(uintptr_t)dlsym(plugin, "managed_run");
  if (function == NULL)
    return complain("no entry", dlerror());
  return function(argument) == expected ? EXIT_SUCCESS : complain(path, "wrong result");
}

static int run_all(char **paths, int count, int64_t argument, int64_t expected) {
  void *plugins[count];
  for (int i = 0; i < count; i++)
    if ((plugins[i] = dlopen(paths[i], RTLD_NOW | RTLD_GLOBAL)) == NULL)
      return complain("cannot load", dlerror());
  int status = EXIT_SUCCESS;
  for (int closed = 0; closed < count && status == EXIT_SUCCESS; closed++) {
    for (int i = closed; i < count && status == EXIT_SUCCESS; i++)
      status = run(plugins[i], paths[i], argument, expected);
    spgc_collect(SPGC_COLLECTION_FULL); /* objects go before their descriptors */
    if (dlclose(plugins[closed]) != 0)
      return complain("cannot unload", dlerror());
  }
  return status;
}

int main(int count, char **words) {
  enum { FIRST_PLUGIN = 3 };
  if (count < FIRST_PLUGIN + 2)
    return complain("usage", "interposition_main N EXPECTED PLUGIN PLUGIN...");
  struct spgc_error error;
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return complain("no heap", error.message);
  int status = run_all(words + FIRST_PLUGIN, count - FIRST_PLUGIN, atol(words[1]), atol(words[2]));
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  if (status == EXIT_SUCCESS &&
      (statistics.moved_objects == 0 || statistics.registers_rewritten == 0))
    status = complain("the plugins", "nothing moved");
  spgc_thread_detach();
  spgc_stop();
  return status;
}
