#include "gc/trace/worker_pool.h"

#include <signal.h>
#include <string.h>

#include "support/clock.h"
#include "support/fatal.h"

enum { STACK_BYTES = 256 << 10 }; /* a helper does not recurse; where memory is short, stacks count */

void spgc_crew_renew(struct spgc_crew *crew) {
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->called, NULL);
  pthread_cond_init(&crew->left, NULL);
  spgc_work_share_create(&crew->share);
  crew->started = crew->running = 0;
  crew->task = NULL;
}

void spgc_crew_create(struct spgc_crew *crew, uint32_t most_helpers) {
  spgc_require(most_helpers < SPGC_MOST_WORKERS, "a crew of %u threads", most_helpers);
  memset(crew, 0, sizeof *crew);
  crew->most_helpers = most_helpers;
  crew->next_declined = 1;
  spgc_crew_renew(crew);
}

void spgc_crew_destroy(struct spgc_crew *crew) {
  pthread_mutex_lock(&crew->lock);
  crew->ends = true;
  pthread_cond_broadcast(&crew->called);
  pthread_mutex_unlock(&crew->lock);
  for (uint32_t i = 0; i < crew->started; i++)
    pthread_join(crew->threads[i].thread, NULL);
  pthread_mutex_destroy(&crew->lock);
  pthread_cond_destroy(&crew->called);
  pthread_cond_destroy(&crew->left);
  spgc_work_share_destroy(&crew->share);
  memset(crew, 0, sizeof *crew);
}

static bool has_task(const struct spgc_crew *crew, uint32_t worker, uint64_t last) {
  return crew->task != NULL && crew->number != last && worker <= crew->wanted;
}

/* Under the lock, which the task itself is done without. */
static void take_part(struct spgc_crew *crew, uint32_t worker) {
  spgc_crew_task task = crew->task;
  void *context = crew->context;
  crew->running++;
  pthread_mutex_unlock(&crew->lock);
  task(context, worker);
  pthread_mutex_lock(&crew->lock);
  if (--crew->running == 0)
    pthread_cond_signal(&crew->left);
}

static void *help(void *argument) {
  const struct spgc_crew_thread *self = argument;
  struct spgc_crew *crew = self->crew;
  uint64_t last = 0;
  pthread_mutex_lock(&crew->lock);
  while (!crew->ends) {
    if (has_task(crew, self->worker, last)) {
      last = crew->number;
      take_part(crew, self->worker);
    } else {
      pthread_cond_wait(&crew->called, &crew->lock);
    }
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

/* Signals are for the program's threads: one started with all blocked keeps them so. */
static bool start_thread(struct spgc_crew *crew, uint32_t index) {
  struct spgc_crew_thread *thread = &crew->threads[index];
  *thread = (struct spgc_crew_thread){.crew = crew, .worker = index + 1};
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  int failed = pthread_create(&thread->thread, &attributes, help, thread);
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (failed == 0)
    pthread_setname_np(thread->thread, "spgc-helper");
  return failed == 0;
}

/* As many as the system grants: worker 0 does alone what nobody helps with. */
static void start_threads(struct spgc_crew *crew, uint32_t helpers) {
  while (crew->started < helpers && start_thread(crew, crew->started))
    crew->started++;
}

static void call(struct spgc_crew *crew, uint32_t helpers, spgc_crew_task task, void *context) {
  pthread_mutex_lock(&crew->lock);
  start_threads(crew, helpers);
  crew->task = task;
  crew->context = context;
  crew->number++;
  crew->wanted = helpers;
  pthread_cond_broadcast(&crew->called);
  pthread_mutex_unlock(&crew->lock);
}

static void wait_until_left(struct spgc_crew *crew) {
  pthread_mutex_lock(&crew->lock);
  crew->task = NULL;
  while (crew->running != 0)
    pthread_cond_wait(&crew->left, &crew->lock);
  pthread_mutex_unlock(&crew->lock);
}

struct times {
  uint64_t elapsed_ns, processor_ns; /* the latter: of all workers */
};

static struct times read_times(const struct spgc_crew *crew) {
  struct times times = {spgc_clock_ns(), spgc_clock_read(CLOCK_THREAD_CPUTIME_ID)};
  clockid_t clock;
  for (uint32_t i = 0; i < crew->started; i++)
    if (pthread_getcpuclockid(crew->threads[i].thread, &clock) == 0)
      times.processor_ns += spgc_clock_read(clock);
  return times;
}

/* Worker 0 alone would have taken about as long as all have computed. */
static void judge(struct spgc_crew *crew, struct times before) {
  enum { LEAST_LOSS_NS = 500000, MOST_DECLINED = 64 };
  struct times now = read_times(crew);
  uint64_t elapsed = now.elapsed_ns - before.elapsed_ns, processor = now.processor_ns - before.processor_ns;
  if (elapsed > processor + LEAST_LOSS_NS) {
    crew->declined = crew->next_declined;
    crew->next_declined *= crew->next_declined < MOST_DECLINED ? 2 : 1;
  } else {
    crew->next_declined = 1;
  }
}

void spgc_crew_run(struct spgc_crew *crew, uint32_t helpers, spgc_crew_task task, void *context) {
  if (helpers > crew->most_helpers)
    helpers = crew->most_helpers;
  if (helpers == 0) {
    task(context, 0);
    return;
  }
  call(crew, helpers, task, context);
  struct times before = read_times(crew);
  task(context, 0);
  wait_until_left(crew);
  judge(crew, before);
}

bool spgc_crew_declines(struct spgc_crew *crew) {
  if (crew->declined == 0)
    return false;
  crew->declined--;
  return true;
}
