/* modules_test LENGTH ROUNDS LIST TREE: linked code, shared libraries (LIST, TREE) and JIT modules
 * run on a thread each, while the main thread moves objects. */
#include <dlfcn.h>
#include <err.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/IRReader.h>

#include "spgc/heap.h"
#include "spgc/jit.h"
#include "spgc/lower.h"
#include "spgc/thread.h"

enum { PLUGINS = 2 };

typedef int64_t number_function(int64_t);
int64_t managed_run(int64_t n); /* linked ahead of time */

static int64_t length;
static int rounds;
static char **plugin_paths;
static struct spgc_jit *jit;
static atomic_int busy;

static void check(enum spgc_result result, const struct spgc_error *error) {
  if (result != SPGC_OK)
    errx(EXIT_FAILURE, "%s", error->message);
}

/* The list sums 1 to n; the tree, n - 1 to 0, each times its place. */
static int64_t expected_of(const char *what) {
  const int64_t n = length, numbers = n * (n + 1) / 2;
  return strstr(what, "plugin-tree") != NULL ? n * numbers - n * (n + 1) * (2 * n + 1) / 6
                                             : numbers;
}

static void check_sum(const char *what, number_function *run) {
  int64_t sum = run(length);
  if (sum != expected_of(what))
    errx(EXIT_FAILURE, "%s computed %ld, not %ld", what, sum, expected_of(what));
}

static void *run_linked(void *unused) {
  for (int i = 0; i < rounds * PLUGINS; i++)
    check_sum("the linked module", managed_run);
  return NULL;
}

/* Collections do not wait for it. */
static void *open_plugin(void *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (plugin == NULL)
    errx(EXIT_FAILURE, "%s", dlerror());
  return plugin;
}

static void *close_plugin(void *plugin) {
  if (dlclose(plugin) != 0)
    errx(EXIT_FAILURE, "%s", dlerror());
  return NULL;
}

static void *run_plugins(void *unused) {
  for (int i = 0; i < rounds * PLUGINS; i++) {
    char *path = plugin_paths[i % PLUGINS];
    void *plugin = spgc_call_blocking(open_plugin, path);
    number_function *run = (number_function *)(uintptr_t)dlsym(plugin, "managed_run");
    if (run == NULL)
      errx(EXIT_FAILURE, "%s", dlerror());
    check_sum(path, run);
    spgc_collect(SPGC_COLLECTION_FULL); /* objects go before their descriptors */
    spgc_call_blocking(close_plugin, plugin);
  }
  return NULL;
}

static LLVMMemoryBufferRef compile(void) {
  char path[512], *message = NULL;
  struct spgc_error error;
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  snprintf(path, sizeof path, "%s/ir/list.ll", getenv("SPGC_TEST_SOURCES"));
  LLVMContextRef context = LLVMContextCreate();
  LLVMMemoryBufferRef text, object;
  LLVMModuleRef module;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &text, &message) ||
      LLVMParseIRInContext(context, text, &module, &message))
    errx(EXIT_FAILURE, "%s", message);
  check(spgc_lower_module(module, &options, &error), &error);
  check(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), &error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

static void *load_module(void *unused) {
  struct spgc_jit_object *object;
  struct spgc_error error;
  check(spgc_jit_add(jit, compile(), &object, &error), &error);
  return object;
}

static void *remove_module(void *object) {
  struct spgc_error error;
  check(spgc_jit_remove(jit, object, &error), &error);
  return NULL;
}

static void *run_jit(void *unused) {
  struct spgc_error error;
  for (int i = 0; i < rounds; i++) {
    void *run;
    void *object = spgc_call_blocking(load_module, NULL);
    check(spgc_jit_lookup(jit, "managed_run", &run, &error), &error);
    check_sum("the JIT module", (number_function *)(uintptr_t)run);
    spgc_collect(SPGC_COLLECTION_FULL);
    spgc_call_blocking(remove_module, object);
  }
  return NULL;
}

static void *run_attached(void *argument) {
  void *(*run)(void *) = *(void *(**)(void *))argument;
  struct spgc_error error;
  check(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  run(NULL);
  spgc_thread_detach();
  atomic_fetch_sub(&busy, 1);
  return NULL;
}

int main(int count, char **words) {
  static void *(*const runners[])(void *) = {run_linked, run_plugins, run_jit};
  enum { RUNNERS = sizeof runners / sizeof *runners };
  struct spgc_error error;
  pthread_t threads[RUNNERS];
  if (count != 3 + PLUGINS)
    errx(EXIT_FAILURE, "usage: modules_test LENGTH ROUNDS LIST TREE");
  length = atol(words[1]);
  rounds = atoi(words[2]);
  plugin_paths = words + 3;
  check(spgc_llvm_initialise(&error), &error);
  check(spgc_start(NULL, &error), &error);
  check(spgc_jit_create(&jit, &error), &error);
  check(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  atomic_store(&busy, RUNNERS);
  for (size_t i = 0; i < RUNNERS; i++)
    if (pthread_create(&threads[i], NULL, run_attached, (void *)(uintptr_t)&runners[i]) != 0)
      err(EXIT_FAILURE, "no thread");
  while (atomic_load(&busy) > 0)
    spgc_collect(SPGC_COLLECTION_MINOR);
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  spgc_thread_detach();
  for (size_t i = 0; i < RUNNERS; i++)
    pthread_join(threads[i], NULL);
  spgc_jit_destroy(jit);
  spgc_stop();
  printf("%lu objects moved, %lu frames walked\n", statistics.moved_objects,
         statistics.frames_walked);
  return statistics.moved_objects > 1000 && statistics.frames_walked > 1000 ? EXIT_SUCCESS
                                                                            : EXIT_FAILURE;
}
