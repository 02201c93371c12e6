#include "gc/mutator/world.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/stall/slow_stop.h"
#include "gc/state/runtime.h"
#include "gc/state/stops.h"
#include "support/cancellation.h"
#include "support/clock.h"
#include "support/fatal.h"

/* Guarded by SPGC_LOCK_WORLD. `mutators` is constant while there is a stopper. */
static struct {
  struct spgc_mutator *mutators;
  size_t population;
  const void *stopper; /* a mutator, or else a spgc_thread, from request to resumption; or NULL */
  size_t waiting;      /* waiting for the end of a stop */
  size_t released;     /* released by the last stop, but still waiting */
} world;

enum { NANOSECONDS = 1000000000 };

static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static pthread_cond_t resumed = PTHREAD_COND_INITIALIZER;

static const uint64_t FOREVER = INT64_MAX;

/* Not a cancellation point: managed frames may be above. */
static bool wait_until(pthread_cond_t *happened, uint64_t until_ns) {
  pthread_mutex_t *lock = &spgc_locks[SPGC_LOCK_WORLD];
  const struct timespec deadline = {.tv_sec = (time_t)(until_ns / NANOSECONDS),
                                    .tv_nsec = (long)(until_ns % NANOSECONDS)};
  struct spgc_cancellation before = spgc_cancellation_defer();
  int error = until_ns == FOREVER
                  ? pthread_cond_wait(happened, lock)
                  : pthread_cond_clockwait(happened, lock, CLOCK_MONOTONIC, &deadline);
  spgc_cancellation_restore(before);
  return error != ETIMEDOUT;
}

static bool wait_for_end(uint64_t until_ns) {
  bool in_time = true;
  world.waiting++;
  while (world.stopper != NULL && in_time)
    in_time = wait_until(&resumed, until_ns);
  world.waiting--;
  bool ended = world.stopper == NULL;
  if (ended && --world.released == 0)
    pthread_cond_broadcast(&arrived);
  return ended;
}

void spgc_world_wait(void) {
  if (world.stopper == NULL)
    return;
  spgc_require(spgc_mutator_attached == NULL ||
                   spgc_mutator_attached->state != SPGC_MUTATOR_RUNNING,
               "a mutator that runs waits for the end of a stop");
  wait_for_end(FOREVER);
}

/* The thread may be the stopper, or must reach a safepoint. */
bool spgc_world_lock_at_exit(void) {
  spgc_lock(SPGC_LOCK_WORLD);
  bool locked = world.stopper == NULL || wait_for_end(spgc_clock_ns() + NANOSECONDS);
  if (!locked)
    spgc_unlock(SPGC_LOCK_WORLD);
  return locked;
}

size_t spgc_world_population(void) {
  return world.population;
}

struct spgc_uncounted spgc_world_uncounted(void) {
  struct spgc_uncounted sum = {0, 0};
  for (const struct spgc_mutator *mutator = world.mutators; mutator != NULL;
       mutator = mutator->next) {
    const struct spgc_uncounted its = spgc_tlab_uncounted(&mutator->tlab);
    sum.allocated += its.allocated;
    sum.born_old += its.born_old;
  }
  return sum;
}

void spgc_world_change_samplers(struct spgc_stopped_world stopped) {
  for (struct spgc_mutator *mutator = stopped.mutators; mutator != NULL; mutator = mutator->next)
    spgc_tlab_change_sampler(&mutator->tlab);
}

/* Threads in the hook first: their reserve takes whole blocks. */
void spgc_world_refill_reserves(struct spgc_stopped_world stopped, size_t freed_blocks) {
  for (int of_running_hooks = 1; of_running_hooks >= 0; of_running_hooks--)
    for (struct spgc_mutator *mutator = stopped.mutators; mutator != NULL; mutator = mutator->next)
      if (spgc_mutator_runs_hook(mutator) == of_running_hooks)
        spgc_reserve_refill(&mutator->reserve, &spgc_runtime.policy.limit, &spgc_runtime.heap,
                            of_running_hooks, &freed_blocks);
}

void spgc_world_add(struct spgc_mutator *mutator) {
  spgc_require(world.stopper == NULL, "a thread is attached while the world is stopped");
  mutator->number = ++spgc_runtime.attached_threads;
  mutator->system_thread = gettid();
  mutator->next = world.mutators;
  world.mutators = mutator;
  world.population++;
}

void spgc_world_remove(struct spgc_mutator *mutator) {
  struct spgc_mutator **link = &world.mutators;
  while (*link != mutator)
    link = &(*link)->next;
  *link = mutator->next;
  world.population--;
}

void *spgc_world_pass(const struct spgc_suspended_stack *stack, void *self) {
  spgc_world_arrive(self, stack);
  spgc_world_go_on(self);
  return NULL;
}

void spgc_world_lock_running(struct spgc_mutator *self) {
  spgc_lock(SPGC_LOCK_WORLD);
  spgc_require(world.stopper != self,
               "a thread that stopped the world is detached before it goes on");
  while (world.stopper != NULL) {
    spgc_unlock(SPGC_LOCK_WORLD);
    spgc_stack_suspend(self->stack_base, spgc_world_pass, self);
    spgc_lock(SPGC_LOCK_WORLD);
  }
}

static const void *stopper_of(const struct spgc_mutator *self) {
  return self != NULL ? (const void *)self : &spgc_thread;
}

/* False unless the mutator is at a safepoint. */
static bool change(struct spgc_mutator *mutator, enum spgc_mutator_state state) {
  enum spgc_mutator_state expected = SPGC_MUTATOR_AT_SAFEPOINT;
  return atomic_compare_exchange_strong(&mutator->state, &expected, state);
}

/* The world is being stopped: the mutators stay while it is unlocked for a message. */
static void stop_all_but(const struct spgc_mutator *self, uint64_t asked_ns) {
  uint64_t patience_ns = spgc_endless_stop_ns();
  uint64_t until_ns = patience_ns < FOREVER - asked_ns ? asked_ns + patience_ns : FOREVER;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    if (mutator != self)
      __atomic_fetch_or(&mutator->thread->poll, SPGC_POLL_STOP, __ATOMIC_SEQ_CST);
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    while (mutator != self && !change(mutator, SPGC_MUTATOR_STOPPED)) {
      if (wait_until(&arrived, until_ns))
        continue;
      until_ns = FOREVER;
      spgc_unlock(SPGC_LOCK_WORLD);
      spgc_endless_stop_tell(mutator->number, mutator->system_thread, mutator->stack_base,
                             spgc_clock_ns() - asked_ns);
      spgc_lock(SPGC_LOCK_WORLD);
    }
}

static void stop_asking(struct spgc_mutator *mutator) {
  __atomic_fetch_and(&mutator->thread->poll, ~(uintptr_t)SPGC_POLL_STOP, __ATOMIC_SEQ_CST);
}

static _Atomic uint64_t arrivals;

static void tell_stopped(const struct spgc_mutator *self, const struct spgc_stopped_world *stopped,
                         uint64_t arrivals_before) {
  SPGC_TELL(world_stopped, spgc_world_stopped_event, .asked_ns = stopped->asked_ns,
            .stopped_ns = stopped->stopped_ns, .thread = stopped->stopper,
            .threads = world.population);
  for (const struct spgc_mutator *mutator = stopped->mutators; mutator != NULL;
       mutator = mutator->next)
    if (mutator != self && mutator->arrival > arrivals_before && mutator->arrived_ns != 0)
      SPGC_TELL(thread_stopped, spgc_thread_stopped_event, .thread = mutator->number,
                .asked_ns = stopped->asked_ns, .arrived_ns = mutator->arrived_ns);
}

bool spgc_world_stop(struct spgc_mutator *self, struct spgc_stopped_world *stopped) {
  stopped->asked_ns = spgc_clock_ns();
  spgc_lock(SPGC_LOCK_WORLD);
  while (world.stopper == NULL && world.released != 0)
    wait_until(&arrived, FOREVER);
  spgc_require(world.stopper != stopper_of(self),
               "the world is stopped by a thread that has stopped it");
  bool stops = world.stopper == NULL;
  uint64_t before = atomic_load(&arrivals);
  if (stops) {
    world.stopper = stopper_of(self);
    stop_all_but(self, stopped->asked_ns);
    stopped->mutators = world.mutators;
    stopped->stopper = self != NULL ? self->number : 0;
    stopped->last = NULL;
    for (struct spgc_mutator *each = world.mutators; each != NULL; each = each->next)
      if (each != self && each->arrival > before &&
          (stopped->last == NULL || each->arrival > stopped->last->arrival))
        stopped->last = each;
    stopped->last_number = stopped->last != NULL ? stopped->last->number : 0;
    stopped->stopped_ns = spgc_clock_ns();
  }
  spgc_unlock(SPGC_LOCK_WORLD);
  if (stops)
    tell_stopped(self, stopped, before);
  return stops;
}

void spgc_world_resume_empty(void) {
  world.stopper = NULL;
  world.released = world.waiting;
  pthread_cond_broadcast(&resumed);
}

void spgc_world_resume(struct spgc_stopped_world stopped) {
  spgc_lock(SPGC_LOCK_WORLD);
  const struct spgc_stop_times times = {.asked_ns = stopped.asked_ns,
                                        .stopped_ns = stopped.stopped_ns,
                                        .resumed_ns = spgc_clock_ns(),
                                        .last_thread = stopped.last_number};
  spgc_stops_count(&times);
  for (struct spgc_mutator *mutator = stopped.mutators; mutator != NULL; mutator = mutator->next) {
    if (mutator == world.stopper)
      continue;
    stop_asking(mutator);
    atomic_store(&mutator->state, SPGC_MUTATOR_AT_SAFEPOINT);
  }
  spgc_world_resume_empty();
  spgc_unlock(SPGC_LOCK_WORLD);
  SPGC_TELL(world_resumed, spgc_world_resumed_event, .stopped_ns = stopped.stopped_ns,
            .resumed_ns = times.resumed_ns, .thread = stopped.stopper);
}

/* Several may try at once. */
void spgc_world_stop_to_fork(struct spgc_mutator *running, struct spgc_stopped_world *stopped) {
  while (!spgc_world_stop(running, stopped)) {
    spgc_require_may_stop("fork");
    if (running != NULL) {
      spgc_stack_suspend(running->stack_base, spgc_world_pass, running);
    } else {
      SPGC_LOCKED(SPGC_LOCK_WORLD);
      spgc_world_wait();
    }
  }
}

void spgc_world_stop_empty(void) {
  spgc_require(world.stopper == NULL && world.population == 0,
               "the world is stopped, or has %zu threads", world.population);
  world.stopper = stopper_of(NULL);
}

bool spgc_world_is_stopped_here(void) {
  SPGC_LOCKED(SPGC_LOCK_WORLD);
  return world.stopper != NULL &&
         (world.stopper == spgc_mutator_attached || world.stopper == stopper_of(NULL));
}

struct spgc_mutator *spgc_world_forget_all_but(struct spgc_stopped_world *stopped,
                                               struct spgc_mutator *kept) {
  struct spgc_mutator *forgotten = NULL;
  for (struct spgc_mutator *mutator = world.mutators, *next; mutator != NULL; mutator = next) {
    next = mutator->next;
    if (mutator == kept)
      continue;
    mutator->next = forgotten;
    forgotten = mutator;
  }
  if (kept != NULL) {
    kept->next = NULL;
    kept->system_thread = gettid();
  }
  stopped->mutators = world.mutators = kept;
  world.population = kept != NULL;
  world.waiting = world.released = 0;
  pthread_cond_init(&arrived, NULL);
  pthread_cond_init(&resumed, NULL);
  return forgotten;
}

void spgc_world_arrive(struct spgc_mutator *self, const struct spgc_suspended_stack *stack) {
  spgc_fibers_prepare_walk(self);
  self->stack = stack;
  bool asked = spgc_mutator_is_asked_to_stop(self);
  self->arrived_ns = asked && spgc_hears_thread_stopped() ? spgc_clock_ns() : 0;
  self->arrival = asked ? atomic_fetch_add(&arrivals, 1) + 1 : 0;
  atomic_store(&self->state, SPGC_MUTATOR_AT_SAFEPOINT);
  if (!spgc_mutator_is_asked_to_stop(self))
    return;
  SPGC_LOCKED(SPGC_LOCK_WORLD);
  pthread_cond_broadcast(&arrived);
}

void spgc_world_go_on(struct spgc_mutator *self) {
  bool waits = spgc_mutator_is_asked_to_stop(self) || !change(self, SPGC_MUTATOR_RUNNING);
  uint64_t begin_ns = waits && spgc_hears_thread_waited() ? spgc_clock_ns() : 0;
  if (waits) {
    SPGC_LOCKED(SPGC_LOCK_WORLD);
    spgc_world_wait();
    /* Without a stopper, nobody else changes the state, and a request is out of date. */
    bool runs = change(self, SPGC_MUTATOR_RUNNING);
    spgc_require(runs, "a mutator is stopped and nobody stops the world");
    stop_asking(self);
  }
  self->stack = NULL;
  if (begin_ns != 0)
    SPGC_TELL(thread_waited, spgc_thread_waited_event, .thread = self->number, .begin_ns = begin_ns,
              .end_ns = spgc_clock_ns());
}
