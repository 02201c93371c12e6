/* plugin_main PLUGIN N EXPECTED: loads a library, runs its managed_run(N) and unloads it,
 * repeatedly. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

enum { ROUNDS = 3 };

static int complain(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  return EXIT_FAILURE;
}

static int run_plugin(const char *path, int64_t argument, int64_t expected) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL)
    return complain("cannot load", dlerror());
  int64_t (*run)(int64_t) = (int64_t (*)(int64_t))(uintptr_t)dlsym(plugin, "managed_run");
  if (run == NULL)
    return complain("no entry", dlerror());
  if (run(argument) != expected)
    return complain(path, "wrong result");
  /* Objects go before their descriptors. */
  spgc_collect(SPGC_COLLECTION_FULL);
  if (dlclose(plugin) != 0)
    return complain("cannot unload", dlerror());
  spgc_collect(SPGC_COLLECTION_FULL);
  return EXIT_SUCCESS;
}

int main(int count, char **words) {
  if (count != 4)
    return complain("usage", "plugin_main PLUGIN N EXPECTED");
  struct spgc_error error;
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return complain("no heap", error.message);
  int status = EXIT_SUCCESS;
  for (int i = 0; i < ROUNDS && status == EXIT_SUCCESS; i++)
    status = run_plugin(words[1], atol(words[2]), atol(words[3]));
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  if (status == EXIT_SUCCESS && (statistics.moved_objects == 0 || statistics.frames_walked == 0))
    status = complain(words[1], "nothing moved");
  spgc_thread_detach();
  spgc_stop();
  return status;
}
