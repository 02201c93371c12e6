/* The child has only the thread that forked, and the memory of all.
 *
 *   parent   running -> world stopped -> locks taken -> fork -> locks released -> world resumed
 *                                                       |
 *   child                                               +---> locks released -> other mutators
 *                                                             forgotten -> world resumed
 *
 * While the world is stopped, every object is complete, every store has dirtied its card, and locks
 * are released without help. The child loses the other threads' frames, scoped handles and TLABs,
 * and the objects that only they referred to. */
#include <stdlib.h>
#include <string.h>

#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/mutator/world.h"
#include "gc/naming/placed_line.h"
#include "gc/state/runtime.h"
#include "spgc/fork.h"
#include "stackwalk/fork.h"
#include "support/fatal.h"
#include "support/log.h"

/* Under added_lock. */
static pthread_mutex_t added_lock = PTHREAD_MUTEX_INITIALIZER;
static struct spgc_fork_lock *added;

static struct spgc_fork_lock **link_to(const struct spgc_fork_lock *lock) {
  struct spgc_fork_lock **link = &added;
  while (*link != NULL && *link != lock)
    link = &(*link)->next;
  return link;
}

void spgc_fork_lock_add(struct spgc_fork_lock *lock) {
  spgc_require_use(lock != NULL && lock->mutex != NULL, "no lock is given");
  pthread_mutex_lock(&added_lock);
  struct spgc_fork_lock **link = link_to(lock);
  bool is_new = *link == NULL;
  if (is_new) {
    lock->next = NULL;
    *link = lock;
  }
  pthread_mutex_unlock(&added_lock);
  spgc_require_use(is_new, "the lock was added before");
}

void spgc_fork_lock_remove(struct spgc_fork_lock *lock) {
  pthread_mutex_lock(&added_lock);
  struct spgc_fork_lock **link = link_to(lock);
  if (*link != NULL)
    *link = lock->next;
  pthread_mutex_unlock(&added_lock);
}

/* The cycle is first, because its holder may run listeners' functions, which may take any lock.
 * With the world stopped, no other thread can stop the heap, unless it was started since; then
 * nobody holds its cycle. */
static void take_locks(void) {
  bool holds_cycle = spgc_world_is_stopped_here() && spgc_runtime.started;
  if (holds_cycle)
    spgc_cycle_hold(&spgc_runtime.cycle);
  pthread_mutex_lock(&added_lock);
  for (const struct spgc_fork_lock *lock = added; lock != NULL; lock = lock->next)
    pthread_mutex_lock(lock->mutex);
  spgc_lock(SPGC_LOCK_WORLD);
  if (spgc_runtime.started && !holds_cycle)
    spgc_cycle_hold(&spgc_runtime.cycle);
  spgc_lock(SPGC_LOCK_MODULES);
  spgc_stackwalk_fork_lock();
  for (unsigned i = SPGC_LOCK_MODULES + 1; i < SPGC_LOCK_COUNT; i++)
    spgc_lock((enum spgc_lock)i);
  spgc_listeners_fork_lock();
}

static pthread_mutex_t registering = PTHREAD_MUTEX_INITIALIZER;
static bool are_registered;

/* The child has no thread of the collector. */
static void release(bool in_child) {
  if (in_child) {
    pthread_mutex_init(&registering, NULL);
    spgc_placed_lines_forget();
    spgc_log_renew();
  }
  spgc_listeners_fork_unlock(in_child);
  for (unsigned i = SPGC_LOCK_COUNT - 1; i > SPGC_LOCK_MODULES; i--)
    spgc_unlock((enum spgc_lock)i);
  (in_child ? spgc_stackwalk_fork_unlock_in_child : spgc_stackwalk_fork_unlock)();
  spgc_unlock(SPGC_LOCK_MODULES);
  if (spgc_runtime.started && in_child)
    spgc_worker_pool_renew(&spgc_runtime.pool);
  if (spgc_runtime.started)
    (in_child ? spgc_cycle_release_in_child : spgc_cycle_release)(&spgc_runtime.cycle);
  spgc_unlock(SPGC_LOCK_WORLD);
  for (const struct spgc_fork_lock *lock = added; lock != NULL; lock = lock->next)
    pthread_mutex_unlock(lock->mutex);
  pthread_mutex_unlock(&added_lock);
}

static void release_locks(void) {
  release(false);
}

static void release_locks_in_child(void) {
  release(true);
}

/* Written by the forking thread. */
static struct spgc_stopped_world stopped;

/* Calls of `stop` in this thread's fork without their go_on. A child forked while another thread
 * registered the handlers may register them again: only the outermost calls act. */
static _Thread_local unsigned stops __attribute__((tls_model("initial-exec")));

static void stop(void) {
  struct spgc_stopped_world world;
  if (stops++ != 0)
    return;
  const char *why_not = spgc_why_not_stop();
  spgc_require(why_not == NULL, "fork: %s", why_not);
  spgc_world_stop_to_fork(spgc_mutator_current, &world);
  spgc_lock(SPGC_LOCK_HEAP);
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    if (mutator != spgc_mutator_current)
      spgc_tlab_retire(&mutator->tlab); /* the child does not have its cursor */
  spgc_remembered_open_cards(&spgc_runtime.heap);
  spgc_unlock(SPGC_LOCK_HEAP);
  stopped = world;
  spgc_is_forking = true;
}

static void go_on(void) {
  if (--stops != 0)
    return;
  spgc_is_forking = false;
  spgc_world_resume(stopped);
}

static void go_on_in_child(void) {
  if (stops == 1) {
    SPGC_LOCKED(SPGC_LOCK_WORLD);
    spgc_mutators_forget(spgc_world_forget_all_but(&stopped, spgc_mutator_attached));
  }
  go_on();
}

/* Fork handlers run in reverse order of registration before the fork, and in order after it. These
 * are registered when the library is loaded, because modules may be before the heap starts; but
 * after the memory allocator's, which malloc ensures, because a thread may allocate under one of
 * the locks. */
__attribute__((constructor)) static void register_lock_handlers(void) {
  void *volatile first = malloc(1);
  free(first);
  int result = pthread_atfork(take_locks, release_locks, release_locks_in_child);
  spgc_require(result == 0, "cannot register fork handlers: %s", strerror(result));
}

bool spgc_fork_register_handlers(void) {
  pthread_mutex_lock(&registering);
  if (!are_registered)
    are_registered = pthread_atfork(stop, go_on, go_on_in_child) == 0;
  bool result = are_registered;
  pthread_mutex_unlock(&registering);
  return result;
}
