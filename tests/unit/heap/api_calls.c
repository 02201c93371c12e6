#include <pthread.h>
#include <sched.h>

#include "api_steps.h"
#include "api_things.h"
#include "spgc/generated.h"
#include "spgc/profile.h"
#include "spgc/protect.h"

static void poll(void) {
  if (__atomic_load_n(&spgc_thread.poll, __ATOMIC_RELAXED) != 0)
    spgc_poll_slow();
}

void api_step_poll(struct api_life *life) {
  poll();
}

void api_interrupted(void *context) {
  if (api_self == NULL)
    return;
  api_self->interrupts++;
  spgc_allocate(&world_leaf);
}

void api_step_interrupt(struct api_life *life) {
  uint64_t before = life->interrupts;
  spgc_thread_interrupt();
  poll();
  api_expect(life, life->interrupts > before, "an interrupt was forgotten");
}

static void *come_back(void *context) {
  struct api_life *life = context;
  struct spgc_scope scope = spgc_scope_open();
  life->depth++;
  for (unsigned steps = api_below(life, 6); steps != 0; steps--)
    api_take_step(life);
  life->depth--;
  spgc_scope_close(scope);
  return context;
}

static void *stay_outside(void *context) {
  struct api_life *life = context;
  for (unsigned times = api_below(life, 4); times != 0; times--)
    sched_yield();
  if (life->ending == API_IS_CANCELLED && life->index % 2 == 0)
    pthread_testcancel();
  if (life->depth < 2 && api_below(life, 2) == 0)
    api_expect(life, spgc_call_managed(come_back, life) == life,
               "spgc_call_managed has another result");
  return context;
}

void api_step_block(struct api_life *life) {
  api_expect(life, spgc_call_blocking(stay_outside, life) == life,
             "spgc_call_blocking has another result");
}

static void *leave_at_once(void *context) {
  spgc_leave(NULL, context);
}

static void *make_handles(struct api_life *life) {
  spgc_scope_open();
  for (unsigned count = api_below(life, 300); count != 0; count--)
    spgc_handle_make(api_object_at(life, api_below(life, API_THINGS)));
  spgc_allocate(&world_leaf);
  return NULL;
}

static void *leave_running(void *life) {
  make_handles(life);
  spgc_leave(NULL, life);
}

static void *leave_blocking(void *life) {
  make_handles(life);
  return spgc_call_blocking(leave_at_once, life);
}

void api_step_protect(struct api_life *life) {
  struct spgc_scope scope = spgc_scope_open();
  bool was_left;
  void *value =
      spgc_protect(api_below(life, 2) == 0 ? leave_running : leave_blocking, life, &was_left);
  api_expect(life, was_left && value == life, "spgc_protect was not left as it should");
  api_expect(life, spgc_scope_open().height == scope.height,
             "handles of a call that was left are still there");
  spgc_scope_close(scope);
}

/* Other threads and the options may begin or end it. Writing is rare, because it reads debug
 * information. */
void api_step_profile(struct api_life *life) {
  struct spgc_error error;
  enum spgc_result result;
  unsigned choice = api_below(life, 30);
  if (choice == 0)
    result = spgc_profile_write("/dev/null", &error);
  else if (choice % 2 == 0)
    result = spgc_profile_start(1 + api_below(life, 4096), &error);
  else
    result = spgc_profile_stop(&error);
  api_expect(life, result == SPGC_OK || result == SPGC_ERROR_STATE, "a profile failed");
}

void api_out_of_memory(void *context, size_t requested) {
  enum { BYTES = 1000, PROMISED = 65536 };
  if (api_self == NULL)
    return;
  api_self->hooks++;
  for (unsigned bytes = 0; bytes + BYTES + 16 < PROMISED; bytes += BYTES + 16)
    api_expect(api_self, !spgc_ref_is_null(spgc_allocate_array(&world_bytes, BYTES)),
               "the hook's reserve was not there");
}

/* The stores into short arrays are more than store buffers take, so their cards are scanned. */
static uint64_t hoarded_length(struct api_life *life) {
  const uint64_t lengths[] = {api_cycle.limit / 8 / 100, 1000, 60};
  unsigned choice = api_below(life, 3);
  return lengths[world_is_stressed() || world_verifies() ? 0 : choice];
}

void api_step_hoard(struct api_life *life) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept = spgc_handle_make(spgc_ref_null());
  uint64_t hooks = life->hooks, length = hoarded_length(life);
  for (;;) {
    struct spgc_ref array = spgc_allocate_array(&world_references, length);
    if (spgc_ref_is_null(array))
      break;
    spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(array) + 2), spgc_handle_get(kept));
    spgc_handle_set(kept, array);
  }
  api_expect(life, life->hooks == hooks + 1, "memory ran out without the hook");
  spgc_scope_close(scope);
}
