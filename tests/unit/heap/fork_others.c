#include "fork_others.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check_main.h"
#include "fork_child.h"
#include "heap_world.h"
#include "spgc/generated.h"

static atomic_bool done;
static atomic_int ready;

void fork_attach(void *base) {
  fork_require(spgc_thread_attach(base, NULL) == SPGC_OK, "a thread cannot attach");
}

bool fork_others_go_on(void) {
  return !atomic_load(&done);
}

void fork_other_begins(void) {
  atomic_fetch_add(&ready, 1);
}

static void *poll(void *context) {
  fork_attach(__builtin_frame_address(0));
  struct spgc_handle list = fork_new_list(100);
  fork_other_begins();
  while (fork_others_go_on())
    if (__atomic_load_n(&spgc_thread.poll, __ATOMIC_RELAXED) != 0)
      spgc_poll_slow();
  fork_check_list(list, 100);
  spgc_thread_detach();
  return context;
}

static void *wait_until_done(void *context) {
  fork_other_begins();
  while (fork_others_go_on())
    sched_yield();
  return context;
}

void *fork_other_blocks(void *context) {
  fork_attach(__builtin_frame_address(0));
  struct spgc_handle list = fork_new_list(100);
  spgc_call_blocking(wait_until_done, NULL);
  fork_check_list(list, 100);
  spgc_thread_detach();
  return context;
}

static void *collect(void *context) {
  fork_attach(__builtin_frame_address(0));
  fork_other_begins();
  for (int i = 0; fork_others_go_on(); i++) {
    struct spgc_scope scope = spgc_scope_open();
    fork_new_list(100);
    spgc_collect(i % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    spgc_scope_close(scope);
  }
  spgc_thread_detach();
  return context;
}

static void *allocate(void *context) {
  fork_attach(__builtin_frame_address(0));
  fork_other_begins();
  while (fork_others_go_on()) {
    struct spgc_scope scope = spgc_scope_open();
    fork_check_list(fork_new_list(200), 200);
    spgc_scope_close(scope);
  }
  spgc_thread_detach();
  return context;
}

static void *come_and_go(void *context) {
  fork_other_begins();
  while (fork_others_go_on()) {
    fork_attach(__builtin_frame_address(0));
    fork_new_object(&world_leaf);
    spgc_thread_detach();
  }
  return context;
}

static void *hold_tables(void *context) {
  fork_attach(__builtin_frame_address(0));
  fork_other_begins();
  while (fork_others_go_on())
    fork_use_tables();
  spgc_thread_detach();
  return context;
}

static void *hold_handles(void *context) {
  enum { MANY = 5000 };
  static _Thread_local struct spgc_handle handles[MANY];
  fork_other_begins();
  while (fork_others_go_on()) {
    for (int i = 0; i < MANY; i++)
      handles[i] = spgc_global_handle_make(spgc_ref_null());
    for (int i = 0; i < MANY; i++)
      spgc_global_handle_release(handles[i]);
  }
  return context;
}

static void *hold_modules(void *number) {
  fork_other_begins();
  while (fork_others_go_on())
    fork_use_modules(0x20000 * (1 + (uintptr_t)number));
  return number;
}

static void *fork_too(void *context) {
  fork_attach(__builtin_frame_address(0));
  fork_other_begins();
  while (fork_others_go_on()) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    fork_expect_end(child);
    spgc_poll_slow();
  }
  spgc_thread_detach();
  return context;
}

static void *fork_unattached_too(void *context) {
  fork_other_begins();
  while (fork_others_go_on()) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    fork_expect_end(child);
  }
  return context;
}

const struct fork_occupation fork_occupations[FORK_OCCUPATIONS] = {
    {"nothing", NULL, false},
    {"poll", poll, false},
    {"block", fork_other_blocks, false},
    {"collect", collect, false},
    {"allocate", allocate, false},
    {"attach and detach", come_and_go, true},
    {"use tables", hold_tables, false},
    {"use global handles", hold_handles, true},
    {"register modules", hold_modules, true},
    {"fork", fork_too, false},
    {"fork and are not attached", fork_unattached_too, false},
};

void fork_begin_others(void *(*body)(void *), pthread_t threads[FORK_OTHERS]) {
  atomic_store(&done, false);
  atomic_store(&ready, 0);
  for (uintptr_t i = 0; i < FORK_OTHERS && body != NULL; i++)
    ck_assert_int_eq(pthread_create(&threads[i], NULL, body, (void *)i), 0);
  while (body != NULL && atomic_load(&ready) != FORK_OTHERS)
    spgc_poll_slow();
}

void fork_end_others(void *(*body)(void *), pthread_t threads[FORK_OTHERS]) {
  atomic_store(&done, true);
  for (int i = 0; i < FORK_OTHERS && body != NULL; i++)
    spgc_call_blocking(fork_join, &threads[i]);
}
