/* Forking in every state: the child uses the heap as the parent does, whatever other threads did.
 *
 * Rows: the place of the thread that forks. Columns: the work of other threads. Each child uses
 * everything that has a lock. An alarm ends a child that hangs; it only ever means a hang. Children
 * and other threads do not use Check, because Check has a lock that fork does not know. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/fork.h"
#include "spgc/generated.h"
#include "spgc/identity.h"
#include "spgc/module.h"
#include "spgc/pin.h"
#include "spgc/stackmap.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"
#include "stackmap_builder.h"

enum { OTHERS = 2, LENGTH = 500, HANG_SECONDS = 100 };

static struct spgc_handle kept; /* global: a list of LENGTH */
static atomic_bool done;
static atomic_int ready;
static void *made_map; /* of a function at 0 */
static size_t made_size;

static void require(bool holds, const char *what) {
  if (holds)
    return;
  ssize_t written = write(STDERR_FILENO, what, strlen(what));
  written = write(STDERR_FILENO, "\n", 1);
  _exit(written != 1 ? 3 : 2);
}

static struct spgc_handle new_object(const struct spgc_type *type) {
  struct spgc_ref object = spgc_allocate(type);
  require(!spgc_ref_is_null(object), "no memory for an object");
  return spgc_handle_make(object);
}

/* Numbered from its head: 0, 1, ... */
static struct spgc_handle new_list(uint64_t count) {
  struct spgc_handle head = spgc_handle_make(spgc_ref_null());
  for (uint64_t i = count; i-- != 0;) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle pair = new_object(&world_pair);
    world_set_word(pair, 1, i);
    world_set(pair, 2, spgc_handle_get(head));
    spgc_handle_set(head, spgc_handle_get(pair));
    spgc_scope_close(scope);
  }
  return head;
}

static void check_list(struct spgc_handle list, uint64_t count) {
  const uint64_t *pair = spgc_ref_memory(spgc_handle_get(list));
  uint64_t i = 0;
  for (; pair != NULL && pair[1] == i; i++)
    pair = (const uint64_t *)pair[2];
  require(pair == NULL && i == count, "a list is damaged");
}

/* A stack map of one function, for code that does not exist. */
static struct spgc_stackmap *register_map(uint64_t function) {
  enum { FUNCTION_WORD = 2 };
  uint64_t *bytes = malloc(made_size);
  struct spgc_stackmap *map = NULL;
  require(bytes != NULL, "no memory for a stack map");
  memcpy(bytes, made_map, made_size);
  bytes[FUNCTION_WORD] = function;
  require(spgc_stackmap_register(bytes, made_size, &map, NULL) == SPGC_OK,
          "a stack map is refused");
  free(bytes);
  return map;
}

static void make_map(void) {
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, 0, 8, 1);
  builder_statepoint(&builder, 1, 16, NULL, 0);
  made_map = builder.bytes;
  made_size = builder.size;
}

static void use_modules(uint64_t function) {
  struct spgc_ref root = spgc_ref_null();
  const struct spgc_global_roots roots = {&root, 1};
  struct spgc_module module = {
      .version = SPGC_MODULE_VERSION, .roots = &roots, .root_count = 1, .name = "made up"};
  require(spgc_module_register(&module, 0, NULL) == SPGC_OK, "a module is refused");
  spgc_stackmap_unregister(register_map(function));
  spgc_module_unregister(&module);
}

/* Uses everything that has a lock, except modules. */
static void use_tables(void) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle holder = new_object(&world_holder), key = new_object(&world_leaf);
  require(spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET, spgc_handle_get(kept), NULL) ==
              SPGC_OK,
          "a weak field is refused");
  struct spgc_handle global = spgc_global_handle_make(spgc_handle_get(holder));
  struct spgc_weak_map map;
  struct spgc_finalizer finalizer;
  require(spgc_pin(spgc_handle_get(holder), NULL) == SPGC_OK, "a pin is refused");
  require(spgc_finalizer_register(spgc_handle_get(key), spgc_ref_null(), NULL) == SPGC_OK,
          "a finalizer is refused");
  require(spgc_weak_map_create(spgc_handle_get(holder), &map, NULL) == SPGC_OK,
          "a weak map is refused");
  require(spgc_weak_map_set(map, spgc_handle_get(key), spgc_handle_get(holder), NULL) == SPGC_OK,
          "an entry is refused");
  require(spgc_identity_hash(spgc_handle_get(key)) != 0, "a hash is refused");
  require(spgc_weak_map_get(map, spgc_handle_get(key), NULL), "an entry is lost");
  require(spgc_finalizer_cancel(spgc_handle_get(key)), "a finalizer is lost");
  spgc_finalizer_next(&finalizer);
  spgc_unpin(spgc_handle_get(holder));
  spgc_global_handle_release(global);
  spgc_set_out_of_memory_hook(NULL, NULL);
  spgc_scope_close(scope);
}

static void check_kept(void) {
  struct spgc_scope scope = spgc_scope_open();
  check_list(spgc_handle_make(spgc_handle_get(kept)), LENGTH);
  spgc_scope_close(scope);
}

static void use_heap(void) {
  check_kept();
  uint64_t length = world_amount(5000, 2000, 20);
  for (int i = 0; i < 4; i++) {
    struct spgc_scope scope = spgc_scope_open();
    check_list(new_list(length), length);
    use_tables();
    spgc_collect(i % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    check_kept();
    spgc_scope_close(scope);
  }
  require(spgc_heap_verify(NULL), "the heap is damaged");
  require(world_statistics().allocated_bytes > 0, "nothing was allocated");
}

static void expect_end(pid_t child) {
  int status;
  require(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
          "a child failed");
}

/* Called by the forking thread, attached and running. */
static void use_everything_in_child(void) {
  alarm(HANG_SECONDS);
  use_heap();
  use_modules(0x10000);
  pid_t grandchild = fork();
  if (grandchild == 0) {
    alarm(HANG_SECONDS);
    use_heap();
    use_modules(0x10000);
    _exit(0);
  }
  expect_end(grandchild);
  use_heap();
  spgc_thread_detach();
  spgc_stop();
  _exit(0);
}

/* The places of a fork. */

static pid_t forked;

static void *fork_now(void *context) {
  forked = fork();
  return context;
}

static void fork_running(void) {
  fork_now(NULL);
}

static void fork_blocking(void) {
  spgc_call_blocking(fork_now, NULL);
}

static void *fork_and_use(void *context) {
  fork_now(NULL);
  use_tables();
  return context;
}

static void *fork_managed_in_blocking(void *context) {
  spgc_call_managed(fork_and_use, NULL);
  return context;
}

static void fork_managed(void) {
  spgc_call_blocking(fork_managed_in_blocking, NULL);
}

static void fork_in_hook(void *context, size_t requested_bytes) {
  fork_now(context);
}

static void fork_in_out_of_memory_hook(void) {
  forked = -1;
  while (forked == -1) { /* others set hooks, too */
    spgc_set_out_of_memory_hook(fork_in_hook, NULL);
    require(spgc_ref_is_null(spgc_allocate_array(&world_bytes, UINT32_MAX)),
            "too much was granted");
  }
}

static void fork_interrupted(void) {
  fork_now(NULL);
}

static void fork_in_interrupt_hook(void) {
  spgc_set_interrupt_hook(fork_interrupted);
  spgc_thread_interrupt();
  spgc_poll_slow();
  spgc_set_interrupt_hook(NULL);
}

/* A thread that was not attached attaches in the child. */
static void *fork_unattached_thread(void *context) {
  fork_now(NULL);
  if (forked == 0) {
    alarm(HANG_SECONDS);
    require(spgc_thread_attach(__builtin_frame_address(0), NULL) == SPGC_OK,
            "the child cannot attach");
    use_everything_in_child();
  }
  return context;
}

static void *join(void *thread) {
  pthread_join(*(pthread_t *)thread, NULL);
  return thread;
}

static void fork_unattached(void) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, fork_unattached_thread, NULL), 0);
  spgc_call_blocking(join, &thread);
}

static void fork_in_child(void) {
  pid_t child = fork();
  if (child != 0) {
    forked = child;
    return;
  }
  fork_now(NULL);
  if (forked != 0) {
    expect_end(forked);
    _exit(0);
  }
}

static const struct place {
  const char *name;
  void (*fork)(void);
} places[] = {
    {"running", fork_running},
    {"in spgc_call_blocking", fork_blocking},
    {"in spgc_call_managed", fork_managed},
    {"in the out-of-memory hook", fork_in_out_of_memory_hook},
    {"in the interrupt hook", fork_in_interrupt_hook},
    {"not attached", fork_unattached},
    {"in a child", fork_in_child},
};

/* The work of other threads. Each tells that it has begun, and ends when `done` is set. */

static void attach(void *base) {
  require(spgc_thread_attach(base, NULL) == SPGC_OK, "a thread cannot attach");
}

static bool goes_on(void) {
  return !atomic_load(&done);
}

static void begin(void) {
  atomic_fetch_add(&ready, 1);
}

static void *poll(void *context) {
  attach(__builtin_frame_address(0));
  struct spgc_handle list = new_list(100);
  begin();
  while (goes_on())
    if (__atomic_load_n(&spgc_thread.poll, __ATOMIC_RELAXED) != 0)
      spgc_poll_slow();
  check_list(list, 100);
  spgc_thread_detach();
  return context;
}

static void *wait_until_done(void *context) {
  begin();
  while (goes_on())
    sched_yield();
  return context;
}

static void *block(void *context) {
  attach(__builtin_frame_address(0));
  struct spgc_handle list = new_list(100);
  spgc_call_blocking(wait_until_done, NULL);
  check_list(list, 100);
  spgc_thread_detach();
  return context;
}

static void *collect(void *context) {
  attach(__builtin_frame_address(0));
  begin();
  for (int i = 0; goes_on(); i++) {
    struct spgc_scope scope = spgc_scope_open();
    new_list(100);
    spgc_collect(i % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    spgc_scope_close(scope);
  }
  spgc_thread_detach();
  return context;
}

static void *allocate(void *context) {
  attach(__builtin_frame_address(0));
  begin();
  while (goes_on()) {
    struct spgc_scope scope = spgc_scope_open();
    check_list(new_list(200), 200);
    spgc_scope_close(scope);
  }
  spgc_thread_detach();
  return context;
}

static void *come_and_go(void *context) {
  begin();
  while (goes_on()) {
    attach(__builtin_frame_address(0));
    new_object(&world_leaf);
    spgc_thread_detach();
  }
  return context;
}

static void *hold_tables(void *context) {
  attach(__builtin_frame_address(0));
  begin();
  while (goes_on())
    use_tables();
  spgc_thread_detach();
  return context;
}

/* Global handles do not require attachment; making many allocates memory under the lock. */
static void *hold_handles(void *context) {
  enum { MANY = 5000 };
  static _Thread_local struct spgc_handle handles[MANY];
  begin();
  while (goes_on()) {
    for (int i = 0; i < MANY; i++)
      handles[i] = spgc_global_handle_make(spgc_ref_null());
    for (int i = 0; i < MANY; i++)
      spgc_global_handle_release(handles[i]);
  }
  return context;
}

static void *hold_modules(void *number) {
  begin();
  while (goes_on())
    use_modules(0x20000 * (1 + (uintptr_t)number));
  return number;
}

static void *fork_too(void *context) {
  attach(__builtin_frame_address(0));
  begin();
  while (goes_on()) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    expect_end(child);
    spgc_poll_slow();
  }
  spgc_thread_detach();
  return context;
}

static void *fork_unattached_too(void *context) {
  begin();
  while (goes_on()) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    expect_end(child);
  }
  return context;
}

/* Threads that are held at safepoints are not inside malloc when the process is copied. Others may
 * be, and then only the C library's malloc makes sure that the child can allocate. The address
 * sanitizer's of gcc 12 does not: a child would wait for the lock of a size class, held by a thread
 * that does not exist there. */
#ifdef __SANITIZE_ADDRESS__
enum { ALLOCATOR_SURVIVES_FORK = false };
#else
enum { ALLOCATOR_SURVIVES_FORK = true };
#endif

static const struct occupation {
  const char *name;
  void *(*body)(void *number);
  bool allocates_unheld; /* calls malloc where no stop holds it */
} occupations[] = {
    {"nothing", NULL, false},
    {"poll", poll, false},
    {"block", block, false},
    {"collect", collect, false},
    {"allocate", allocate, false},
    {"attach and detach", come_and_go, true},
    {"use tables", hold_tables, false},
    {"use global handles", hold_handles, true},
    {"register modules", hold_modules, true},
    {"fork", fork_too, false},
    {"fork and are not attached", fork_unattached_too, false},
};

enum {
  PLACES = sizeof places / sizeof *places,
  OCCUPATIONS = sizeof occupations / sizeof *occupations
};

static void begin_others(void *(*body)(void *), pthread_t threads[OTHERS]) {
  atomic_store(&done, false);
  atomic_store(&ready, 0);
  for (uintptr_t i = 0; i < OTHERS && body != NULL; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, body, (void *)i), 0);
  while (body != NULL && atomic_load(&ready) != OTHERS)
    spgc_poll_slow();
}

static void end_others(void *(*body)(void *), pthread_t threads[OTHERS]) {
  atomic_store(&done, true);
  for (int i = 0; i < OTHERS && body != NULL; i++)
    spgc_call_blocking(join, &threads[i]);
}

static void *wait_for_child(void *status) {
  require(waitpid(forked, status, 0) == forked, "no child to wait for");
  return status;
}

static void fork_once(const struct place *place, const struct occupation *occupation) {
  int status;
  pid_t parent = getpid();
  place->fork();
  if (getpid() != parent)
    use_everything_in_child();
  spgc_call_blocking(wait_for_child, &status);
  ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                "forked %s while others %s: status %#x", place->name, occupation->name,
                (unsigned)status);
}

static void keep_a_list(void) {
  make_map();
  struct spgc_scope scope = spgc_scope_open();
  kept = spgc_global_handle_make(spgc_handle_get(new_list(LENGTH)));
  spgc_scope_close(scope);
}

START_TEST(a_child_uses_the_heap_as_its_parent_does) {
  const struct place *place = &places[_i / OCCUPATIONS];
  const struct occupation *occupation = &occupations[_i % OCCUPATIONS];
  pthread_t threads[OTHERS];
  if (occupation->allocates_unheld && !ALLOCATOR_SURVIVES_FORK)
    return;
  world_open("limit=64m,nursery=64k");
  keep_a_list();
  begin_others(occupation->body, threads);
  for (uint64_t i = 0; i < world_amount(4, 3, 2); i++)
    fork_once(place, occupation);
  end_others(occupation->body, threads);
  use_heap();
  spgc_global_handle_release(kept);
  world_close();
}
END_TEST

/* The cycle's thread is in a marking, or has just ended one. */
START_TEST(a_child_goes_on_with_a_marking) {
  world_open("limit=64m,nursery=256k,concurrent=on,growth=0");
  keep_a_list();
  struct spgc_handle old = new_list(world_amount(200000, 50000, 100));
  for (uint64_t i = 0; i < world_amount(20, 5, 3); i++) {
    struct spgc_scope scope = spgc_scope_open();
    new_list(world_amount(5000, 5000, 20));
    spgc_scope_close(scope);
    fork_once(&places[i % 3], &occupations[0]);
  }
  check_list(old, world_amount(200000, 50000, 100));
  spgc_global_handle_release(kept);
  world_close();
}
END_TEST

/* The frames and scoped handles of other threads are no roots in the child, and their reserves are
 * released. */
START_TEST(what_only_lost_threads_referred_to_dies_in_the_child) {
  pthread_t threads[OTHERS];
  world_open("");
  keep_a_list();
  begin_others(block, threads);
  fork_now(NULL);
  if (forked == 0) {
    alarm(HANG_SECONDS);
    spgc_collect(SPGC_COLLECTION_FULL);
    require(world_statistics().live_bytes == LENGTH * world_pair.size,
            "lost threads' objects live on");
    _exit(0);
  }
  expect_end(forked);
  end_others(block, threads);
  world_close();
}
END_TEST

/* A lock of the program that attached threads wait for while they run. */
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static long guarded[2];

static void *hold_own_lock(void *context) {
  attach(__builtin_frame_address(0));
  begin();
  while (goes_on()) {
    pthread_mutex_lock(&own);
    guarded[0]++;
    sched_yield();
    guarded[1]++;
    pthread_mutex_unlock(&own);
    spgc_poll_slow();
  }
  spgc_thread_detach();
  return context;
}

START_TEST(locks_that_were_added_are_free_in_the_child) {
  pthread_t threads[OTHERS];
  struct spgc_fork_lock lock = {.mutex = &own};
  world_open("");
  spgc_fork_lock_add(&lock);
  begin_others(hold_own_lock, threads);
  for (int i = 0; i < 20; i++) {
    fork_now(NULL);
    if (forked == 0) {
      alarm(HANG_SECONDS);
      pthread_mutex_lock(&own);
      require(guarded[0] == guarded[1], "the child was made inside the lock");
      pthread_mutex_unlock(&own);
      _exit(0);
    }
    expect_end(forked);
  }
  end_others(hold_own_lock, threads);
  spgc_fork_lock_remove(&lock);
  world_close();
}
END_TEST

START_TEST(a_process_without_a_heap_forks) {
  fork_now(NULL);
  if (forked == 0) {
    alarm(HANG_SECONDS);
    world_open("");
    keep_a_list();
    use_heap();
    _exit(0);
  }
  expect_end(forked);
}
END_TEST

static atomic_int attaching; /* the thread's number in the system */
static enum spgc_result attached;

static void *try_to_attach(void *context) {
  struct spgc_error error;
  atomic_store(&attaching, gettid());
  attached = spgc_thread_attach(__builtin_frame_address(0), &error);
  if (attached == SPGC_OK)
    spgc_thread_detach();
  return context;
}

static bool sleeps(int thread) {
  char path[64], text[256];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  require(file != NULL && fgets(text, sizeof text, file) != NULL, "a thread has no state");
  fclose(file);
  return strstr(text, ") S ") != NULL;
}

static pthread_t waits_to_attach;

/* Registered before the heap's handlers, so called after them, with the world stopped. */
static void stop_heap_before_fork(void) {
  require(pthread_create(&waits_to_attach, NULL, try_to_attach, NULL) == 0, "no thread");
  while (atomic_load(&attaching) == 0 || !sleeps(atomic_load(&attaching)))
    sched_yield();
  spgc_stop();
}

START_TEST(a_thread_that_waits_to_attach_finds_the_heap_stopped) {
  struct spgc_error error;
  pthread_atfork(stop_heap_before_fork, NULL, NULL);
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_OK);
  fork_now(NULL);
  if (forked == 0)
    _exit(0);
  expect_end(forked);
  pthread_join(waits_to_attach, NULL);
  ck_assert_int_eq(attached, SPGC_ERROR_STATE);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-fork");
  TCase *tcase = tcase_create("fork");
  tcase_set_timeout(tcase, 2 * HANG_SECONDS);
  tcase_add_loop_test(tcase, a_child_uses_the_heap_as_its_parent_does, 0, PLACES * OCCUPATIONS);
  tcase_add_test(tcase, a_child_goes_on_with_a_marking);
  tcase_add_test(tcase, what_only_lost_threads_referred_to_dies_in_the_child);
  tcase_add_test(tcase, locks_that_were_added_are_free_in_the_child);
  tcase_add_test(tcase, a_process_without_a_heap_forks);
  tcase_add_test(tcase, a_thread_that_waits_to_attach_finds_the_heap_stopped);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
