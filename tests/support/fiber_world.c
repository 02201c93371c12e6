#include "fiber_world.h"

#include "check_main.h"
#include "heap_world.h"

struct spgc_fiber *fiber_world_own;

void fiber_world_open(void *base) {
  world_open_at(base, "");
  fiber_world_own = spgc_fiber_current();
}

struct spgc_fiber *fiber_world_create(spgc_fiber_entry entry) {
  struct spgc_fiber *fiber = NULL;
  struct spgc_error error;
  ck_assert_msg(spgc_fiber_create(entry, NULL, SPGC_FIBER_STACK_LEAST, &fiber, &error) == SPGC_OK,
                "%s", error.message);
  return fiber;
}
