/* A started heap, and the stack that the test's thread was attached with. */
#ifndef SPGC_TESTS_FIBER_WORLD_H
#define SPGC_TESTS_FIBER_WORLD_H

#include "spgc/fiber.h"

/* The fiber to switch back to. A test that continues in another thread sets it again. */
extern struct spgc_fiber *fiber_world_own;

/* world_open_at with no options, and fiber_world_own set. */
void fiber_world_open(void *base);

/* A fiber with the least stack; fails the test if it cannot be created. */
struct spgc_fiber *fiber_world_create(spgc_fiber_entry entry);

#endif
