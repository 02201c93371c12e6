/* early_main [LIBRARY]: prints what early_caller.c's constructor found, and fails if that was
 * wrong. An attached thread loads LIBRARY first. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

static void *load(const char *path) {
  struct spgc_error error;
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK) {
    fprintf(stderr, "%s\n", error.message);
    exit(EXIT_FAILURE);
  }
  return dlopen(path, RTLD_NOW);
}

int main(int count, char **words) {
  void *library = count > 1 ? load(words[1]) : RTLD_DEFAULT;
  const char *(*outcome)(void) = NULL;
  if (count == 1 || library != NULL)
    outcome = (const char *(*)(void))(uintptr_t)dlsym(library, "early_outcome");
  const char *found = outcome != NULL ? outcome() : dlerror();
  fputs(found, stderr);
  return found[0] == '\0' ? EXIT_SUCCESS : EXIT_FAILURE;
}
