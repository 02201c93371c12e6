#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "polling_thread.h"
#include "sleeping_thread.h"
#include "spgc/code_name.h"
#include "spgc/events.h"
#include "spgc/fork.h"
#include "spgc/module.h"
#include "support/fatal.h"

enum { HANG_SECONDS = 60 };

/* ---- Calls that a function may make in any state ---- */

static struct spgc_listener listener;

static void add_listener(void) {
  spgc_require(spgc_listener_add(&listener, NULL) == SPGC_ERROR_STATE, "it was not added before");
}

/* One per thread, because several may send events. */
static void change_fork_locks(void) {
  static _Thread_local pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static _Thread_local struct spgc_fork_lock lock;
  lock.mutex = &mutex;
  spgc_fork_lock_add(&lock);
  spgc_fork_lock_remove(&lock);
}

/* A lock of the program, which fork takes as well. */
static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static struct spgc_fork_lock own_lock = {.mutex = &own};

static void take_own_lock(void) {
  pthread_mutex_lock(&own);
  pthread_mutex_unlock(&own);
}

static void register_module(void) {
  static _Thread_local struct spgc_module module = {.version = SPGC_MODULE_VERSION};
  spgc_require(spgc_module_register(&module, 0, NULL) == SPGC_OK, "the module is refused");
  spgc_module_unregister(&module);
}

static void make_handle(void) {
  spgc_global_handle_release(spgc_global_handle_make(spgc_ref_null()));
}

static void name_code(void) {
  static _Thread_local struct spgc_code_names names;
  spgc_code_names_add(&names);
  spgc_code_names_remove(&names);
  spgc_set_source_finder(NULL, NULL);
}

static void (*const calls[])(void) = {add_listener,    change_fork_locks, take_own_lock,
                                      register_module, make_handle,       name_code};
enum { CALLS = sizeof calls / sizeof *calls };
static void (*call)(void);

/* ---- Functions of all events ---- */

enum event {
#define SPGC_EVENT(name, type, when) HEARD_##name,
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
      EVENTS
};

/* Of every program with two threads and a concurrent marking. */
static const enum event certain[] = {
    HEARD_world_stopped,    HEARD_thread_stopped, HEARD_world_resumed,  HEARD_thread_waited,
    HEARD_collection_begin, HEARD_pause_part,     HEARD_collection_end, HEARD_thread_attached,
    HEARD_thread_detached,  HEARD_blocking,       HEARD_cycle,          HEARD_cycle_step};

static atomic_uint made[EVENTS]; /* by event */
static atomic_uint meetings;     /* while another thread waited for the function */
static atomic_uint inside;
static atomic_int phase;
static atomic_int awaited;  /* the thread about to wait for a function's end, or 0 */
static atomic_bool lingers; /* the cycle's thread stays in a function until it is awaited; not while
                               the test's thread may wait for the cycle */

static bool meet(void) {
  bool meets = atomic_load(&awaited) != 0;
  for (int thread; (thread = atomic_load(&awaited)) != 0 && !thread_sleeps(thread);)
    sched_yield();
  return meets;
}

/* When sweeping begins, the test's thread collects no more. */
static void note_phase(const struct spgc_cycle_event *event) {
  atomic_store(&phase, event->phase);
  if (event->phase == SPGC_CYCLE_SWEEPING)
    atomic_store(&lingers, true);
}

static void linger(const struct spgc_cycle_step_event *event) {
  while (event->thread == 0 && atomic_load(&lingers) && atomic_load(&awaited) == 0)
    sched_yield();
}

static void hear(enum event event, const void *said) {
  atomic_fetch_add(&inside, 1);
  if (event == HEARD_cycle)
    note_phase(said);
  else if (event == HEARD_cycle_step)
    linger(said);
  bool meets = meet();
  call();
  atomic_fetch_add(&made[event], 1);
  atomic_fetch_add(&meetings, meets);
  atomic_fetch_sub(&inside, 1);
}

#define SPGC_EVENT(name, type, when)                                                               \
  static void hear_##name(void *context, const struct type *event) {                               \
    hear(HEARD_##name, event);                                                                     \
  }
SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT

static struct spgc_listener listener = {.size = sizeof listener,
#define SPGC_EVENT(event_name, type, when) .event_name = hear_##event_name,
                                        SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
};

static bool has_steps(void) {
  int now = atomic_load(&phase);
  return now == SPGC_CYCLE_MARKING || now == SPGC_CYCLE_SWEEPING;
}

/* Waits until the cycle's thread is in a function (true), where it stays until this thread sleeps,
 * or takes no more steps (false). */
static bool await_function(void) {
  atomic_store(&awaited, gettid());
  while (atomic_load(&inside) == 0 && has_steps())
    sched_yield();
  return atomic_load(&inside) != 0;
}

static void await_nothing(void) {
  atomic_store(&awaited, 0);
}

/* In a small heap, few collections are between two cycles. */
static void open_world(int number) {
  call = calls[number];
  ck_assert_int_eq(spgc_listener_add(&listener, NULL), SPGC_OK);
  world_open_fixed("limit=8m,nursery=256k,concurrent=on,threads=2,verify=none");
}

static void remove_listener(void) {
  ck_assert_int_eq(spgc_listener_remove(&listener, NULL), SPGC_OK);
}

/* ---- Fork ---- */

static atomic_bool forks_no_more;

/* Called before the library's locks are taken. The world is stopped: only the cycle's thread sends
 * events. */
static void before_fork(void) {
  await_function();
}

static void *fork_for_ever(void *unused) {
  while (!atomic_load(&forks_no_more)) {
    pid_t child = fork();
    if (child == 0)
      _exit(0);
    int status;
    spgc_require(child > 0 && waitpid(child, &status, 0) == child && status == 0,
                 "a child ended badly");
  }
  return unused;
}

static void *await_meeting(void *unused) {
  unsigned before = atomic_load(&meetings);
  while (atomic_load(&meetings) == before && has_steps())
    sched_yield();
  atomic_store(&lingers, false);
  return unused;
}

static void tell_certain_events(void) {
  struct polling_thread other;
  polling_thread_start(&other);
  world_churn(1);
  spgc_call_blocking(await_meeting, NULL);
  polling_thread_end(&other);
}

static bool have_all_been_told(void) {
  for (size_t i = 0; i < sizeof certain / sizeof *certain; i++)
    if (atomic_load(&made[certain[i]]) == 0)
      return false;
  return true;
}

START_TEST(functions_make_each_call_while_others_fork) {
  enum { MEETINGS = 3 };
  pthread_t forker;
  ck_assert_int_eq(pthread_atfork(before_fork, await_nothing, await_nothing), 0);
  spgc_fork_lock_add(&own_lock);
  open_world(_i);
  ck_assert_int_eq(pthread_create(&forker, NULL, fork_for_ever, NULL), 0);
  while (atomic_load(&meetings) < MEETINGS || !have_all_been_told())
    tell_certain_events();
  atomic_store(&forks_no_more, true);
  join_blocking(forker);
  world_close();
  remove_listener();
}
END_TEST

/* ---- Stop ---- */

static void detach_in_function(void) {
  struct spgc_error error;
  for (;;) {
    world_churn(1);
    spgc_thread_detach();
    bool meets = await_function();
    atomic_store(&lingers, false);
    if (meets)
      return;
    await_nothing();
    ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_OK);
  }
}

START_TEST(functions_make_each_call_while_the_heap_is_stopped) {
  open_world(_i);
  detach_in_function();
  spgc_stop();
  ck_assert_uint_ge(atomic_load(&meetings), 1);
  remove_listener();
}
END_TEST

/* ---- Removal ---- */

static atomic_bool is_heard, is_stopped, is_refused, is_removed, was_removed;
static pid_t process;

/* An unattached thread has forked. The heap stops before the function ends. */
static void hear_while_removed(void *context, const struct spgc_world_resumed_event *event) {
  struct spgc_error error;
  if (getpid() != process)
    return;
  atomic_store(&is_heard, true);
  while (!atomic_load(&is_stopped))
    sched_yield();
  spgc_require(spgc_listener_remove(context, &error) == SPGC_ERROR_STATE &&
                   strstr(error.message, "a listener's callback") != NULL,
               "a function removes its listener");
  atomic_store(&is_refused, true);
  while (!atomic_load(&is_removed) && atomic_load(&awaited) == 0)
    sched_yield();
  while (!atomic_load(&is_removed) && !thread_sleeps(atomic_load(&awaited)))
    sched_yield();
  atomic_store(&was_removed, atomic_load(&is_removed));
}

static void *fork_once(void *unused) {
  pid_t child = fork();
  if (child == 0)
    _exit(0);
  spgc_require(waitpid(child, NULL, 0) == child, "no child to wait for");
  return unused;
}

START_TEST(a_listener_is_removed_when_its_functions_have_ended) {
  pthread_t forker;
  struct spgc_listener *removed = calloc(1, sizeof *removed);
  ck_assert_ptr_nonnull(removed);
  *removed = (struct spgc_listener){
      .size = sizeof *removed, .context = removed, .world_resumed = hear_while_removed};
  process = getpid();
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  ck_assert_int_eq(spgc_listener_add(removed, NULL), SPGC_OK);
  ck_assert_int_eq(pthread_create(&forker, NULL, fork_once, NULL), 0);
  while (!atomic_load(&is_heard))
    sched_yield();
  spgc_stop();
  atomic_store(&is_stopped, true);
  while (!atomic_load(&is_refused))
    sched_yield();
  atomic_store(&awaited, gettid());
  ck_assert_int_eq(spgc_listener_remove(removed, NULL), SPGC_OK);
  atomic_store(&is_removed, true);
  free(removed);
  join(&forker);
  ck_assert(!atomic_load(&was_removed));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("heap-listener-locks");
  TCase *tcase = tcase_create("listener locks");
  tcase_set_timeout(tcase, HANG_SECONDS);
  tcase_add_loop_test(tcase, functions_make_each_call_while_others_fork, 0, CALLS);
  tcase_add_loop_test(tcase, functions_make_each_call_while_the_heap_is_stopped, 0, CALLS);
  tcase_add_test(tcase, a_listener_is_removed_when_its_functions_have_ended);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
