#include "gc/trace/shared_worklist.h"

#include <string.h>

void spgc_work_share_create(struct spgc_work_share *share) {
  pthread_mutex_init(&share->lock, NULL);
  pthread_cond_init(&share->changed, NULL);
}

void spgc_work_share_destroy(struct spgc_work_share *share) {
  pthread_mutex_destroy(&share->lock);
  pthread_cond_destroy(&share->changed);
}

static void set_hungry(struct spgc_work_share *share, uint32_t hungry) {
  __atomic_store_n(&share->hungry, hungry, __ATOMIC_RELAXED);
}

void spgc_work_share_open(struct spgc_work_share *share, uint32_t active) {
  set_hungry(share, 0);
  share->active = active;
  share->count = 0;
  share->ended = false;
}

bool spgc_work_share_join(struct spgc_work_share *share) {
  pthread_mutex_lock(&share->lock);
  bool joins = !share->ended;
  if (joins)
    share->active++;
  pthread_mutex_unlock(&share->lock);
  return joins;
}

/* Under the lock: waits until there is an entry, or nobody is left who could give one. */
static bool wait_for_entry(struct spgc_work_share *share) {
  share->active--;
  set_hungry(share, share->hungry + 1);
  while (share->count == 0 && !share->ended) {
    if (share->active == 0) {
      share->ended = true;
      pthread_cond_broadcast(&share->changed);
    } else {
      pthread_cond_wait(&share->changed, &share->lock);
    }
  }
  set_hungry(share, share->hungry - 1);
  if (share->ended)
    return false;
  share->active++;
  return true;
}

/* Under the lock: a fair part of what there is. */
static void take_entries(struct spgc_work_share *share, struct spgc_work_stack *stack) {
  uint32_t part = share->count / (share->hungry + 1) + 1;
  uint32_t taken = part < share->count ? part : share->count;
  if (taken > SPGC_SHARE_GIFT)
    taken = SPGC_SHARE_GIFT;
  for (uint32_t i = 0; i < taken; i++)
    spgc_work_stack_push(stack, share->entries[--share->count]);
}

bool spgc_work_share_take(struct spgc_work_share *share, struct spgc_work_stack *stack) {
  pthread_mutex_lock(&share->lock);
  bool more = share->count != 0 || wait_for_entry(share);
  if (more)
    take_entries(share, stack);
  pthread_mutex_unlock(&share->lock);
  return more;
}

/* The newest entries fill the gap, so that giving costs no more than what is given. */
static void remove_oldest(struct spgc_work_stack *stack, uint32_t count) {
  stack->count -= count;
  memmove(stack->entries, stack->entries + stack->count, count * sizeof *stack->entries);
}

void spgc_work_share_give(struct spgc_work_share *share, struct spgc_work_stack *stack) {
  uint32_t given = stack->count / 2;
  pthread_mutex_lock(&share->lock);
  if (given > SPGC_SHARE_GIFT)
    given = SPGC_SHARE_GIFT;
  if (given > SPGC_SHARE_ENTRIES - share->count)
    given = SPGC_SHARE_ENTRIES - share->count;
  memcpy(share->entries + share->count, stack->entries, given * sizeof *stack->entries);
  share->count += given;
  remove_oldest(stack, given);
  pthread_cond_broadcast(&share->changed);
  pthread_mutex_unlock(&share->lock);
}
