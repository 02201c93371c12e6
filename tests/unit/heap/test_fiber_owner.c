/* A language's object owns a fiber: its finalizer releases it. */
#include "check_main.h"
#include "fiber_world.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/module.h"

enum { FIBERS = 50, KEPT = 10 };

static struct spgc_fiber *fibers[FIBERS]; /* by the number that the finalizer holds */

static struct spgc_fiber_end keep(void *kept) {
  spgc_scope_open();
  if (kept != NULL)
    spgc_handle_make(spgc_handle_get(*(const struct spgc_handle *)kept));
  for (int i = 0; i < KEPT; i++)
    world_new_leaf((uint64_t)i);
  spgc_fiber_switch(fiber_world_own, NULL);
  return (struct spgc_fiber_end){fiber_world_own, NULL};
}

/* Its low bit is set, so it is never a reference. */
static struct spgc_ref tagged(size_t number) {
  return spgc_ref_from_word(2 * number + 1);
}

/* `held_by_fiber`: the fiber refers to its owner. */
static struct spgc_handle new_owner(size_t number, bool held_by_fiber) {
  struct spgc_error error;
  struct spgc_handle owner = world_new_leaf(number);
  ck_assert_int_eq(spgc_fiber_create(keep, NULL, SPGC_FIBER_STACK_LEAST, &fibers[number], &error),
                   SPGC_OK);
  ck_assert_int_eq(spgc_finalizer_register(spgc_handle_get(owner), tagged(number), &error),
                   SPGC_OK);
  spgc_fiber_switch(fibers[number], held_by_fiber ? &owner : NULL);
  return owner;
}

static size_t release_the_dead(void) {
  struct spgc_finalizer finalizer;
  size_t count = 0;
  for (; spgc_finalizer_next(&finalizer); count++) {
    spgc_fiber_release(fibers[finalizer.held.word / 2]);
    fibers[finalizer.held.word / 2] = NULL;
  }
  return count;
}

static uint64_t live_leaves(void) {
  return spgc_types_live(&world_leaf, &world_leaf + 1);
}

START_TEST(an_owners_finalizer_releases_its_fiber) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_handle owners[FIBERS];
  for (size_t i = 0; i < FIBERS; i++)
    owners[i] = new_owner(i, false);
  for (size_t left = FIBERS; left != 0; left--) {
    ck_assert_uint_eq(live_leaves(), left * (KEPT + 1));
    ck_assert_uint_eq(release_the_dead(), 0);
    spgc_handle_set(owners[left - 1], spgc_ref_null());
    ck_assert_uint_eq(live_leaves(),
                      left * (KEPT + 1)); /* the queue holds the owner; the fiber is a root */
    ck_assert_uint_eq(release_the_dead(), 1);
    ck_assert_ptr_null(fibers[left - 1]);
  }
  ck_assert_uint_eq(live_leaves(), 0);
  world_close();
}
END_TEST

START_TEST(an_owner_without_a_finalizer_leaves_its_fiber) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_handle owner = new_owner(0, false);
  ck_assert(spgc_finalizer_cancel(spgc_handle_get(owner)));
  spgc_handle_set(owner, spgc_ref_null());
  ck_assert_uint_eq(live_leaves(), KEPT);
  ck_assert_uint_eq(release_the_dead(), 0);
  spgc_fiber_release(fibers[0]);
  ck_assert_uint_eq(live_leaves(), 0);
  world_close();
}
END_TEST

START_TEST(an_owner_that_its_fiber_refers_to_never_dies) {
  fiber_world_open(__builtin_frame_address(0));
  struct spgc_handle owner = new_owner(0, true);
  spgc_handle_set(owner, spgc_ref_null());
  for (int i = 0; i < 3; i++) {
    ck_assert_uint_eq(live_leaves(), KEPT + 1);
    ck_assert_uint_eq(release_the_dead(), 0);
  }
  spgc_fiber_release(fibers[0]);
  ck_assert_uint_eq(live_leaves(), 1); /* the queued owner */
  struct spgc_finalizer finalizer;
  ck_assert(spgc_finalizer_next(&finalizer));
  ck_assert_uint_eq(live_leaves(), 0);
  world_close();
}
END_TEST

CHECK_MAIN("heap-fiber-owner", an_owners_finalizer_releases_its_fiber,
           an_owner_without_a_finalizer_leaves_its_fiber,
           an_owner_that_its_fiber_refers_to_never_dies)
