/* Threads walk their stacks while code and its maps come and go, by unwind plans, because libunwind
 * gets lost when a table is removed beside it. */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "spgc/stackwalk.h"
#include "stackwalk/frame_table.h"
#include "support/fatal.h"
#include "tests/support/made_code.h"
#include "tests/support/suite.h"

enum {
  WALKERS = 2,
  CHANGES = 60,
  REGISTRATIONS = 20,
  MADE_ROOTS = 2 * MADE_FUNCTIONS,
  PLUGIN_ROOTS = 2
};

static _Thread_local void *base;
static _Thread_local size_t expected_roots;

static uint64_t objects[2] = {1, 1};
static atomic_bool done;
static atomic_size_t walks;

static void move(void *moved, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t word = spgc_slot_load(bases[i]).word;
    spgc_require(word == (uintptr_t)&objects[0] || word == (uintptr_t)&objects[1],
                 "this is not the object");
    bases[i].location->word = (uintptr_t)&objects[word == (uintptr_t)&objects[0]];
  }
  *(size_t *)moved += count;
}

static void walk(void) {
  size_t moved = 0;
  const struct spgc_stack_visitor visitor = {.context = &moved, .bases = move};
  spgc_walk_stack(base, &visitor, NULL);
  spgc_require(moved == expected_roots, "a walk met %zu roots instead of %zu", moved,
               expected_roots);
  atomic_fetch_add(&walks, 1);
}

static uint64_t walk_once(struct spgc_ref object) {
  walk();
  return 0;
}

static uint64_t walk_until_done(struct spgc_ref object) {
  while (!atomic_load(&done))
    walk();
  return 0;
}

static struct spgc_ref the_object(void) {
  return spgc_ref_from_word((uintptr_t)&objects[0]);
}

static void run_made_code(made_function *bottom) {
  struct made_code code;
  made_code_reserve(&code);
  made_code_make(&code, 0, bottom);
  expected_roots = MADE_ROOTS;
  spgc_require(code.first(the_object()) == 0, "a slot and a register were not moved alike");
  made_code_forget(&code);
  made_code_release(&code);
}

static void *walk_made_code(void *unused) {
  base = __builtin_frame_address(0);
  run_made_code(walk_until_done);
  return NULL;
}

__attribute__((visibility("default"))) void collect(void);
void collect(void) {
  walk();
}

static void *symbol_of(void *plugin, const char *name) {
  void *symbol = dlsym(plugin, name);
  spgc_require(symbol != NULL, "%s", dlerror());
  return symbol;
}

static void run_plugin(const char *path) {
  void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  spgc_require(plugin != NULL, "%s", dlerror());
  const void *(*maps)(size_t *size) =
      (const void *(*)(size_t *))(uintptr_t)symbol_of(plugin, "plugin_maps");
  uint64_t (*read_twice)(struct spgc_ref) =
      (uint64_t (*)(struct spgc_ref))(uintptr_t)symbol_of(plugin, "read_alloca");
  struct spgc_stackmap *map;
  struct spgc_error error;
  size_t size;
  const void *section = maps(&size);
  spgc_require(spgc_stackmap_register(section, size, &map, &error) == SPGC_OK, "%s", error.message);
  expected_roots = PLUGIN_ROOTS;
  spgc_require(read_twice(the_object()) == 2, "the object was lost");
  spgc_stackmap_unregister(map);
  dlclose(plugin);
}

static void change_code(void) {
  const char *path = getenv("SPGC_TEST_PLUGIN");
  spgc_require(path != NULL, "SPGC_TEST_PLUGIN is not set");
  base = __builtin_frame_address(0);
  for (int i = 0; i < CHANGES; i++) {
    run_made_code(walk_once);
    run_plugin(path);
  }
}

static void start(pthread_t *thread, void *(*body)(void *), void *argument) {
  ck_assert_int_eq(pthread_create(thread, NULL, body, argument), 0);
}

static void start_walkers(pthread_t walkers[], int count) {
  for (int i = 0; i < count; i++)
    start(&walkers[i], walk_made_code, NULL);
}

static void stop_walkers(const pthread_t walkers[], int count) {
  atomic_store(&done, true);
  for (int i = 0; i < count; i++)
    pthread_join(walkers[i], NULL);
}

START_TEST(threads_walk_while_code_is_loaded_and_unloaded) {
  pthread_t walkers[WALKERS];
  start_walkers(walkers, WALKERS);
  change_code();
  while (atomic_load(&walks) <= 2 * (size_t)CHANGES) /* the walkers may begin late */
    sched_yield();
  stop_walkers(walkers, WALKERS);
}
END_TEST

/* A map that another thread removes must stay. */
static atomic_bool is_inside, may_go_on, was_removed;
static atomic_int remover_thread;
static struct made_code removed;

static void stay(void *context, const struct spgc_slot *bases, size_t count) {
  atomic_store(&is_inside, true);
  while (!atomic_load(&may_go_on))
    sched_yield();
}

static uint64_t walk_slowly(struct spgc_ref object) {
  const struct spgc_stack_visitor visitor = {.bases = stay};
  spgc_walk_stack(base, &visitor, NULL);
  return 0;
}

static void *walk_made_code_slowly(void *unused) {
  base = __builtin_frame_address(0);
  run_made_code(walk_slowly);
  return NULL;
}

static void *remove_map(void *unused) {
  atomic_store(&remover_thread, gettid());
  made_code_forget(&removed);
  atomic_store(&was_removed, true);
  return NULL;
}

enum { WALKS_MEANWHILE = 1000 };

static uint64_t walk_many_times(struct spgc_ref object) {
  for (int i = 0; i < WALKS_MEANWHILE; i++)
    walk();
  return 0;
}

/* proc(5): 'S' once it sleeps. A thread that only yields the processor never does. */
static char state_of(int thread) {
  char path[64], line[256] = "";
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  spgc_require(file != NULL && fgets(line, sizeof line, file) != NULL, "no %s", path);
  fclose(file);
  return strrchr(line, ')')[2];
}

static void await_sleep_of_the_remover(void) {
  while (atomic_load(&remover_thread) == 0 || state_of(atomic_load(&remover_thread)) != 'S')
    sched_yield();
}

static void register_and_find(struct made_code *code) {
  const struct frame_map *recent = &spgc_frame_map_empty;
  made_code_make(code, 0, walk_once);
  for (unsigned i = 0; i < MADE_FUNCTIONS; i++)
    ck_assert_ptr_nonnull(frame_table_find_near(made_code_return_address(code, i), &recent));
}

START_TEST(registration_does_not_wait_for_walks) {
  pthread_t slow;
  struct made_code codes[REGISTRATIONS];
  start(&slow, walk_made_code_slowly, NULL);
  while (!atomic_load(&is_inside))
    sched_yield();
  for (int i = 0; i < REGISTRATIONS; i++) {
    made_code_reserve(&codes[i]);
    register_and_find(&codes[i]);
  }
  atomic_store(&may_go_on, true);
  pthread_join(slow, NULL);
  for (int i = 0; i < REGISTRATIONS; i++) {
    made_code_forget(&codes[i]);
    made_code_release(&codes[i]);
  }
}
END_TEST

static long sleeps_of_this_thread(void) {
  struct rusage usage;
  ck_assert_int_eq(getrusage(RUSAGE_THREAD, &usage), 0);
  return usage.ru_nvcsw;
}

/* A removal waits for walks twice, and sleeps once or twice each time, also for libunwind's
 * table. */
START_TEST(removal_beside_many_walkers_sleeps_a_few_times) {
  enum { MANY_WALKERS = 4, REMOVALS = 20, WAITS = 2, SLEEPS = 4 };
  pthread_t walkers[MANY_WALKERS];
  struct made_code code;
  start_walkers(walkers, MANY_WALKERS);
  made_code_reserve(&code);
  while (atomic_load(&walks) < MANY_WALKERS)
    sched_yield();
  long before = sleeps_of_this_thread();
  for (int i = 0; i < REMOVALS; i++) {
    made_code_make(&code, 0, walk_once);
    made_code_forget(&code);
  }
  long slept = sleeps_of_this_thread() - before;
  stop_walkers(walkers, MANY_WALKERS);
  made_code_release(&code);
  ck_assert_msg(slept <= REMOVALS * WAITS * SLEEPS, "%d removals slept %ld times", REMOVALS, slept);
}
END_TEST

START_TEST(walks_do_not_wait_for_a_map_that_is_being_removed) {
  pthread_t slow, remover;
  struct made_code own;
  base = __builtin_frame_address(0);
  expected_roots = MADE_ROOTS;
  made_code_reserve(&own);
  made_code_reserve(&removed);
  made_code_make(&own, 0, walk_many_times);
  made_code_make(&removed, 0, walk_once);
  start(&slow, walk_made_code_slowly, NULL);
  while (!atomic_load(&is_inside))
    sched_yield();
  start(&remover, remove_map, NULL);
  ck_assert_uint_eq(own.first(the_object()), 0);
  ck_assert_uint_eq(walks, WALKS_MEANWHILE);
  await_sleep_of_the_remover();
  ck_assert(!atomic_load(&was_removed));
  atomic_store(&may_go_on, true);
  pthread_join(remover, NULL);
  pthread_join(slow, NULL);
  ck_assert(atomic_load(&was_removed));
  made_code_forget(&own);
  made_code_release(&own);
  made_code_release(&removed);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stackwalk-changing-code");
  TCase *tcase = tcase_create("changing-code");
  tcase_set_timeout(tcase, 100);
  tcase_add_test(tcase, threads_walk_while_code_is_loaded_and_unloaded);
  tcase_add_test(tcase, registration_does_not_wait_for_walks);
  tcase_add_test(tcase, removal_beside_many_walkers_sleeps_a_few_times);
  tcase_add_test(tcase, walks_do_not_wait_for_a_map_that_is_being_removed);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
