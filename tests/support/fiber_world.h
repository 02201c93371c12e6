#ifndef SPGC_TESTS_FIBER_WORLD_H
#define SPGC_TESTS_FIBER_WORLD_H

#include "spgc/fiber.h"

/* Set again by a test that continues in another thread. */
extern struct spgc_fiber *fiber_world_own;

void fiber_world_open(void *base);

struct spgc_fiber *fiber_world_create(spgc_fiber_entry entry);

#endif
