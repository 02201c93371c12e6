/* usage: barriers THROWS [differential]
 *
 * From the bottom of a deep stack, exceptions are thrown past barriers. There it calls look_here,
 * for debuggers. */
#include "tests/unit/stackwalk/barriers.h"
#include "tests/support/preserved_registers.h"

#include <stdio.h>
#include <stdlib.h>

#include "spgc/stackmap.h"
#include "stackwalk/watermark.h"
#include "support/fatal.h"

uint64_t wander(struct spgc_ref object, uint64_t depth);

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

enum { RETURN, CALL, CALL_THROUGH_C, CALL_CATCHING }; /* answers of act */
enum { DEPTH = 900, BETWEEN_CATCHING = 300, MOST_RESUMED = 10 };

static void *base;
static struct spgc_watermark *watermark;
static uint64_t throws_left, caught;
static bool goes_down = true;

static void *set_barriers(const struct spgc_suspended_stack *stack, void *counts) {
  static const struct spgc_stack_visitor nothing;
  spgc_walk_resumed(stack, watermark, &nothing, counts);
  return NULL;
}

static uint64_t frames_resumed(void) {
  struct spgc_walk_counts counts;
  spgc_stack_suspend(base, set_barriers, &counts);
  return counts.managed_frames;
}

__attribute__((noinline)) static void look_here(void) {
  __asm__ volatile("");
}

static void stay_at_the_bottom(void) {
  frames_resumed();
  spgc_require(frames_resumed() < MOST_RESUMED, "frames were met again that nobody resumed");
  spgc_require(watermark->count >= 4, "%u barriers are set", watermark->count);
  look_here();
  if (throws_left != 0)
    throw_depth(--throws_left % (DEPTH / BETWEEN_CATCHING) * BETWEEN_CATCHING);
  goes_down = false;
}

void note_caught(void) {
  caught++;
  frames_resumed();
}

uint64_t act(uint64_t depth) {
  if (depth == DEPTH)
    stay_at_the_bottom();
  if (!goes_down)
    return RETURN;
  if (depth % BETWEEN_CATCHING == 0)
    return CALL_CATCHING;
  return depth % 10 == 9 ? CALL_THROUGH_C : CALL;
}

uint64_t call_managed(managed_function *function, struct spgc_ref object, uint64_t depth) {
  uint64_t result = function(object, depth);
  __asm__ volatile("" : "+r"(result)::PRESERVED_REGISTERS_LISTED);
  return result;
}

int main(int count, char **words) {
  static uint64_t one = 1;
  struct spgc_stackmap *map;
  struct spgc_error error;
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  spgc_require(count >= 2, "usage: barriers THROWS [differential]");
  spgc_require(spgc_stackmap_register(__start_test_stackmaps, size, &map, &error) == SPGC_OK, "%s",
               error.message);
  if (count > 2)
    spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
  const uint64_t throws = throws_left = strtoull(words[1], NULL, 10);
  base = __builtin_frame_address(0);
  watermark = spgc_watermark_create();
  uint64_t sum = wander(spgc_ref_from_word((uintptr_t)&one), 0);
  spgc_require(sum == DEPTH + 1, "the frames returned %lu, not one each", sum);
  spgc_require(caught == throws, "%lu exceptions of %lu were caught", caught, throws);
  spgc_watermark_destroy(watermark);
  printf("%lu exceptions\n", caught);
  return EXIT_SUCCESS;
}
