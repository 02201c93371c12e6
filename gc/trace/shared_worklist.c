#include "gc/trace/shared_worklist.h"

#include <string.h>

void spgc_shared_worklist_create(struct spgc_shared_worklist *shared) {
  pthread_mutex_init(&shared->lock, NULL);
  pthread_cond_init(&shared->changed, NULL);
}

void spgc_shared_worklist_destroy(struct spgc_shared_worklist *shared) {
  pthread_mutex_destroy(&shared->lock);
  pthread_cond_destroy(&shared->changed);
}

static void set_waiting(struct spgc_shared_worklist *shared, uint32_t waiting) {
  __atomic_store_n(&shared->waiting, waiting, __ATOMIC_RELAXED);
}

void spgc_shared_worklist_open(struct spgc_shared_worklist *shared, uint32_t active) {
  set_waiting(shared, 0);
  shared->active = active;
  shared->count = 0;
  shared->ended = false;
}

bool spgc_shared_worklist_join(struct spgc_shared_worklist *shared) {
  pthread_mutex_lock(&shared->lock);
  bool joins = !shared->ended;
  if (joins)
    shared->active++;
  pthread_mutex_unlock(&shared->lock);
  return joins;
}

/* Needs the lock. */
static void end(struct spgc_shared_worklist *shared) {
  shared->ended = true;
  pthread_cond_broadcast(&shared->changed);
}

void spgc_shared_worklist_leave(struct spgc_shared_worklist *shared) {
  pthread_mutex_lock(&shared->lock);
  if (--shared->active == 0)
    end(shared);
  pthread_mutex_unlock(&shared->lock);
}

/* Needs the lock. False if no worker is left that could give an entry. */
static bool wait_for_entry(struct spgc_shared_worklist *shared) {
  shared->active--;
  set_waiting(shared, shared->waiting + 1);
  while (shared->count == 0 && !shared->ended) {
    if (shared->active == 0)
      end(shared);
    else
      pthread_cond_wait(&shared->changed, &shared->lock);
  }
  set_waiting(shared, shared->waiting - 1);
  if (shared->ended)
    return false;
  shared->active++;
  return true;
}

bool spgc_shared_worklist_take(struct spgc_shared_worklist *shared, struct spgc_worklist *stack) {
  pthread_mutex_lock(&shared->lock);
  bool more = shared->count != 0 || wait_for_entry(shared);
  uint32_t part = shared->count / (shared->waiting + 1) + 1;
  for (uint32_t i = 0; more && i < part && i < SPGC_SHARED_BATCH && shared->count != 0; i++)
    spgc_worklist_push(stack, shared->entries[--shared->count]);
  pthread_mutex_unlock(&shared->lock);
  return more;
}

void spgc_shared_worklist_give(struct spgc_shared_worklist *shared, struct spgc_worklist *stack) {
  uint32_t given = stack->count / 2;
  pthread_mutex_lock(&shared->lock);
  if (given > SPGC_SHARED_BATCH)
    given = SPGC_SHARED_BATCH;
  if (given > SPGC_SHARED_ENTRIES - shared->count)
    given = SPGC_SHARED_ENTRIES - shared->count;
  memcpy(shared->entries + shared->count, stack->entries, given * sizeof *stack->entries);
  shared->count += given;
  /* The newest entries fill the gap, so the cost is in proportion to `given`. */
  stack->count -= given;
  memmove(stack->entries, stack->entries + stack->count, given * sizeof *stack->entries);
  pthread_cond_broadcast(&shared->changed);
  pthread_mutex_unlock(&shared->lock);
}
