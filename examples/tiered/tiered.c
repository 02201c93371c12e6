/* Functions are compiled at their first call, by the calling thread, and again when hot. The old
 * code is freed when no frame is in it.
 *
 *   tiered THREADS REQUESTS
 *
 * Function K calls function K - 1, through a word of this program that the JIT knows as entry_K. At
 * first the word is the address of stub_K, which requests the function. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/heap.h"
#include "spgc/jit.h"
#include "spgc/lower.h"
#include "spgc/thread.h"

enum { FUNCTIONS = 12, MOST_THREADS = 16, HOT = 20 /* calls */ };

typedef int64_t number_function(int64_t);

/* Replaced code, until all threads whose requests might be in it have ended those. */
struct retired {
  struct spgc_jit_object *object;
  uint64_t
      ended[MOST_THREADS]; /* the requests that each thread had ended when the code was replaced */
  struct retired *next;
};

static struct spgc_jit *jit;
static _Atomic(number_function *) entries[FUNCTIONS];
static _Atomic uint64_t ended[MOST_THREADS]; /* requests; each is written by its thread */
static unsigned thread_count;
static uint64_t request_count;

/* Under the lock. A function's level is -1 until it is compiled. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int levels[FUNCTIONS];
static struct spgc_jit_object *objects[FUNCTIONS];
static struct retired *retired;
static unsigned compiled, replaced, freed;

static void require(enum spgc_result result, const struct spgc_error *error) {
  if (result == SPGC_OK)
    return;
  fprintf(stderr, "tiered: %s\n", error->message);
  exit(EXIT_FAILURE);
}

static const char declarations[] =
    "@cell = linkonce_odr constant { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr } { i32 16, "
    "i32 0, i32 0, i32 0, ptr null, i32 0, i32 0, ptr null, ptr null }\n"
    "declare ptr addrspace(1) @spgc_allocate(ptr)\n"
    "declare ptr @function_for(i64)\n"
    "declare void @note_hot(i64)\n";

/* K, K, K */
static const char stub[] = "define i64 @stub_%d(i64 %%n) gc \"statepoint-example\" {\n"
                           "  %%f = call ptr @function_for(i64 %d)\n"
                           "  %%r = call i64 %%f(i64 %%n)\n"
                           "  ret i64 %%r\n}\n";

/* Function 0 ends the chain. */
static const char first_function[] =
    "define i64 @function_%1$d_%2$d(i64 %%n) gc \"statepoint-example\" {\n"
    "  ret i64 %%n\n}\n";

/* Keeps n in an object while it calls the function before, and adds n to the result. */
static const char function[] =
    "@calls = internal global i64 0\n"
    "@entry_%3$d = external global ptr\n"
    "define i64 @function_%1$d_%2$d(i64 %%n) gc \"statepoint-example\" {\n"
    "  %%o = call ptr addrspace(1) @spgc_allocate(ptr @cell)\n"
    "  %%p = getelementptr i8, ptr addrspace(1) %%o, i64 8\n"
    "  store i64 %%n, ptr addrspace(1) %%p\n"
    "  %%c = atomicrmw add ptr @calls, i64 1 monotonic\n"
    "  %%h = icmp eq i64 %%c, %4$d\n"
    "  br i1 %%h, label %%hot, label %%go\n"
    "hot:\n"
    "  call void @note_hot(i64 %1$d)\n"
    "  br label %%go\n"
    "go:\n"
    "  %%f = load ptr, ptr @entry_%3$d\n"
    "  %%r = call i64 %%f(i64 %%n)\n"
    "  %%k = load i64, ptr addrspace(1) %%p\n"
    "  %%s = add i64 %%r, %%k\n"
    "  ret i64 %%s\n}\n";

static LLVMMemoryBufferRef compile(const char *text, unsigned level) {
  struct spgc_error error;
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  options.optimisation = level;
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module;
  LLVMMemoryBufferRef object;
  LLVMMemoryBufferRef source =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "function");
  require(spgc_parse_module(context, source, &module, &error), &error);
  require(spgc_lower_module(module, &options, &error), &error);
  require(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), &error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return object;
}

static number_function *load(const char *text, unsigned level, const char *name,
                             struct spgc_jit_object **object) {
  struct spgc_error error;
  void *address;
  require(spgc_jit_add(jit, compile(text, level), object, &error), &error);
  require(spgc_jit_lookup(jit, name, &address, &error), &error);
  return (number_function *)(uintptr_t)address;
}

static number_function *load_function(int number, int level, struct spgc_jit_object **object) {
  char text[4096], name[64];
  size_t length = sizeof declarations - 1;
  memcpy(text, declarations, length);
  snprintf(text + length, sizeof text - length, number == 0 ? first_function : function, number,
           level, number - 1, HOT);
  snprintf(name, sizeof name, "function_%d_%d", number, level);
  return load(text, level == 0 ? 0 : 2, name, object);
}

/* Frees code that no thread is in. Needs the lock. */
static void free_retired(void) {
  for (struct retired **link = &retired, *one; (one = *link) != NULL;) {
    struct spgc_error error;
    bool is_left = true;
    for (unsigned i = 0; i < thread_count; i++)
      is_left &= atomic_load(&ended[i]) > one->ended[i] || one->ended[i] == UINT64_MAX;
    if (!is_left) {
      link = &one->next;
      continue;
    }
    require(spgc_jit_remove(jit, one->object, &error), &error);
    *link = one->next;
    free(one);
    freed++;
  }
}

/* Needs the lock. */
static void retire(struct spgc_jit_object *object) {
  struct retired *added = calloc(1, sizeof *added);
  if (added == NULL)
    exit(EXIT_FAILURE);
  added->object = object;
  added->next = retired;
  for (unsigned i = 0; i < thread_count; i++)
    added->ended[i] = atomic_load(&ended[i]);
  retired = added;
}

/* Needs the lock. */
static void raise_level(int number, int level) {
  struct spgc_jit_object *before = objects[number];
  if (levels[number] >= level)
    return;
  atomic_store(&entries[number], load_function(number, level, &objects[number]));
  levels[number] = level;
  compiled++;
  if (before == NULL)
    return;
  replaced++;
  retire(before);
}

struct wish {
  int number, level;
};

/* In spgc_call_blocking: other threads run, and collect, while this one waits or compiles. */
static void *fulfil(void *argument) {
  const struct wish *wish = argument;
  pthread_mutex_lock(&lock);
  raise_level(wish->number, wish->level);
  pthread_mutex_unlock(&lock);
  return NULL;
}

/* Called by stubs. */
static void *function_for(int64_t number) {
  struct wish wish = {(int)number, 0};
  spgc_call_blocking(fulfil, &wish);
  return (void *)(uintptr_t)atomic_load(&entries[number]);
}

/* Called by a function once. */
static void note_hot(int64_t number) {
  struct wish wish = {(int)number, 1};
  spgc_call_blocking(fulfil, &wish);
}

static void *clean(void *unused) {
  (void)unused;
  pthread_mutex_lock(&lock);
  free_retired();
  pthread_mutex_unlock(&lock);
  return NULL;
}

static void *serve(void *argument) {
  unsigned self = (unsigned)(uintptr_t)argument;
  struct spgc_error error;
  require(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  for (uint64_t i = 0; i < request_count; i++) {
    int64_t n = (int64_t)(i % 1000), result = atomic_load(&entries[FUNCTIONS - 1])(n);
    if (result != n * FUNCTIONS) {
      fprintf(stderr, "tiered: %" PRId64 " instead of %" PRId64 "\n", result, n * FUNCTIONS);
      exit(EXIT_FAILURE);
    }
    atomic_fetch_add(&ended[self], 1);
    if (i % 16 == 0)
      spgc_call_blocking(clean, NULL);
  }
  atomic_store(&ended[self], UINT64_MAX); /* it is not in any code */
  spgc_thread_detach();
  return NULL;
}

static void start_program(void) {
  struct spgc_error error;
  require(spgc_llvm_initialise(&error), &error);
  require(spgc_start(NULL, &error), &error);
  require(spgc_jit_create(&jit, &error), &error);
  require(spgc_jit_define(jit, "function_for", (void *)(uintptr_t)function_for, &error), &error);
  require(spgc_jit_define(jit, "note_hot", (void *)(uintptr_t)note_hot, &error), &error);
  for (int i = 0; i < FUNCTIONS; i++) {
    char name[64], text[2048];
    snprintf(name, sizeof name, "entry_%d", i);
    require(spgc_jit_define(jit, name, &entries[i], &error), &error);
    snprintf(name, sizeof name, "stub_%d", i);
    snprintf(text, sizeof text, "declare ptr @function_for(i64)\n");
    snprintf(text + strlen(text), sizeof text - strlen(text), stub, i, i);
    entries[i] = load(text, 0, name, &objects[i]);
    objects[i] = NULL; /* stubs stay */
    levels[i] = -1;
  }
}

int main(int argc, char **argv) {
  pthread_t threads[MOST_THREADS];
  thread_count = argc > 1 ? (unsigned)atoi(argv[1]) : 4;
  request_count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000;
  if (thread_count < 1 || thread_count > MOST_THREADS || request_count < HOT + 1) {
    fprintf(stderr, "usage: tiered THREADS REQUESTS, at most %d, at least %d\n", MOST_THREADS,
            HOT + 1);
    return 2;
  }
  start_program();
  for (unsigned i = 0; i < thread_count; i++)
    pthread_create(&threads[i], NULL, serve, (void *)(uintptr_t)i);
  for (unsigned i = 0; i < thread_count; i++)
    pthread_join(threads[i], NULL);
  clean(NULL);
  printf("%u functions compiled, %u of them replaced, %u freed\n", compiled, replaced, freed);
  bool right = compiled == 2 * FUNCTIONS - 1 && replaced == FUNCTIONS - 1 && freed == replaced;
  spgc_jit_destroy(jit);
  spgc_stop();
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
