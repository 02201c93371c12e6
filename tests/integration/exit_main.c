/* exit_main N EXPECTED PLUGIN: exits while another thread runs generated code of the program and a
 * shared library. Some rounds end after the program's destructors, or after closing the library in
 * vain. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spgc/heap.h"
#include "spgc/thread.h"
#include "tests/integration/linger.h"

enum { ROUNDS = 10, STEP_MICROSECONDS = 1000 };

typedef int64_t number_function(int64_t);
number_function managed_run;

static number_function *run_plugin;
static void *plugin;
static int64_t argument, expected;
static atomic_int rounds;
static atomic_ulong moved;
static atomic_bool failed;

static void *run(void *unused) {
  struct spgc_error error;
  struct spgc_statistics statistics;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    failed = true;
  while (!failed) {
    failed = managed_run(argument) != expected || run_plugin(argument) != expected ||
             spgc_heap_verify(&error) != SPGC_OK;
    spgc_statistics_read(&statistics);
    moved = statistics.moved_objects;
    rounds++;
  }
  return NULL;
}

static void wait_for_rounds(void) {
  for (int end = rounds + ROUNDS; rounds < end && !failed;)
    usleep(STEP_MICROSECONDS);
}

static void outlive_destructors(void) {
  unsigned long moved_before = moved;
  wait_for_rounds();
  dlclose(plugin);
  wait_for_rounds();
  if (failed)
    fprintf(stderr, "wrong after the program's end\n");
  _exit(failed || moved == moved_before ? EXIT_FAILURE : EXIT_SUCCESS);
}

static int complain(const char *what, const char *detail) {
  fprintf(stderr, "%s: %s\n", what, detail);
  return EXIT_FAILURE;
}

int main(int count, char **words) {
  pthread_t thread;
  struct spgc_error error;
  if (count != 4)
    return complain("usage", "exit_main N EXPECTED PLUGIN");
  argument = atol(words[1]);
  expected = atol(words[2]);
  plugin = dlopen(words[3], RTLD_NOW | RTLD_LOCAL);
  run_plugin = plugin != NULL ? (number_function *)(uintptr_t)dlsym(plugin, "managed_run") : NULL;
  if (run_plugin == NULL)
    return complain("no plugin", dlerror());
  if (spgc_start(NULL, &error) != SPGC_OK)
    return complain("no heap", error.message);
  if (pthread_create(&thread, NULL, run, NULL) != 0)
    return complain("no thread", "pthread_create");
  wait_for_rounds();
  linger = outlive_destructors;
  exit(EXIT_FAILURE);
}
