#include <sched.h>

#include "api_steps.h"
#include "api_things.h"

enum { STACK_BYTES = 4 * SPGC_FIBER_STACK_LEAST };

static void check_own(const struct api_fiber *fiber) {
  for (unsigned i = 0; i < API_FIBER_THINGS; i++)
    if (fiber->things[i].kind != API_NOTHING)
      api_check_contents(fiber->life, &fiber->things[i], spgc_handle_get(fiber->handles[i]));
}

static void replace_own(struct api_fiber *fiber, unsigned i) {
  struct api_thing leaf = {.kind = API_LEAF, .number = api_new_number(fiber->life)};
  fiber->things[i] = (struct api_thing){0};
  spgc_handle_set(fiber->handles[i], spgc_ref_null());
  struct spgc_ref object = api_allocate_thing(&leaf);
  if (spgc_ref_is_null(object))
    return;
  api_inscribe(&leaf, object);
  fiber->things[i] = leaf;
  spgc_handle_set(fiber->handles[i], object);
}

static void share_thing(struct api_fiber *fiber, unsigned i) {
  struct api_life *life = fiber->life;
  unsigned slot = api_below(life, API_THINGS);
  if (life->things[slot].kind != API_LEAF)
    return;
  fiber->things[i] = (struct api_thing){.kind = API_LEAF, .number = life->things[slot].number};
  spgc_handle_set(fiber->handles[i], api_object_at(life, slot));
}

static void *yield(void *context) {
  sched_yield();
  return context;
}

static struct api_fiber *some_idle(struct api_life *life) {
  struct api_fiber *fiber = &life->fibers[api_below(life, API_FIBERS)];
  return fiber->fiber == NULL || fiber->runs ? NULL : fiber;
}

static void release(struct api_fiber *fiber) {
  spgc_fiber_release(fiber->fiber);
  *fiber = (struct api_fiber){0};
}

static void go_on_in(struct api_fiber *fiber) {
  fiber->back = spgc_fiber_current();
  fiber->runs = true;
  api_expect(fiber->life, spgc_fiber_switch(fiber->fiber, fiber) == fiber,
             "spgc_fiber_switch has another result");
  fiber->runs = false;
  api_expect(fiber->life, spgc_fiber_is_finished(fiber->fiber) == fiber->retires,
             "a fiber finished, or did not");
  if (fiber->retires)
    release(fiber);
}

static void do_something(struct api_fiber *fiber) {
  struct api_life *life = fiber->life;
  unsigned i = api_below(life, API_FIBER_THINGS);
  struct api_fiber *other;
  switch (api_below(life, 8)) {
  case 0: share_thing(fiber, i); break;
  case 1: spgc_collect(SPGC_COLLECTION_MINOR); break;
  case 2:
    api_expect(life, spgc_call_blocking(yield, fiber) == fiber,
               "spgc_call_blocking has another result");
    break;
  case 3:
    other = some_idle(life);
    if (other != NULL)
      go_on_in(other);
    break;
  default: replace_own(fiber, i);
  }
}

static struct spgc_fiber_end live(void *context) {
  struct api_fiber *fiber = context;
  spgc_scope_open();
  for (unsigned i = 0; i < API_FIBER_THINGS; i++)
    fiber->handles[i] = spgc_handle_make(spgc_ref_null());
  while (!fiber->retires) {
    for (unsigned times = 1 + api_below(fiber->life, 4); times != 0; times--) {
      do_something(fiber);
      check_own(fiber);
    }
    api_expect(fiber->life, spgc_fiber_switch(fiber->back, fiber) == fiber,
               "spgc_fiber_switch has another result");
    check_own(fiber);
    if (fiber->life->ending == API_IS_CANCELLED)
      pthread_testcancel();
  }
  return (struct spgc_fiber_end){fiber->back, fiber};
}

static void create(struct api_life *life, struct api_fiber *fiber) {
  fiber->life = life;
  if (spgc_fiber_create(live, NULL, STACK_BYTES, &fiber->fiber, NULL) != SPGC_OK)
    fiber->fiber = NULL;
  else
    go_on_in(fiber);
}

void api_step_fiber(struct api_life *life) {
  struct api_fiber *fiber = &life->fibers[api_below(life, API_FIBERS)];
  unsigned choice = api_below(life, 12);
  if (fiber->fiber == NULL) {
    create(life, fiber);
  } else if (choice == 0) {
    release(fiber);
  } else {
    fiber->retires = choice == 1;
    go_on_in(fiber);
  }
}

void api_life_release_fibers(struct api_life *life) {
  for (unsigned i = 0; i < API_FIBERS; i++)
    if (life->fibers[i].fiber != NULL)
      release(&life->fibers[i]);
}
