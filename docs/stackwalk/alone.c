/* The stack walker without the collector: see docs/stackwalk.md. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"

__asm__(".pushsection .llvm_stackmaps, \"a\", @progbits\n"
        ".globl stack_maps_end\n"
        "stack_maps_end:\n"
        ".popsection\n");

extern const char stack_maps_start[], stack_maps_end[];
struct spgc_ref work(struct spgc_ref object); /* alone.ll */

static void *base;              /* the frame at which every walk ends */
static uint64_t from[1], to[1]; /* an object, before and after it moves */

static bool see_frame(void *context, const struct spgc_frame *frame) {
  printf("a managed frame, at the statepoint with ID %" PRIu64 "\n", frame->statepoint_id);
  return true;
}

static void move_bases(void *context, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (bases[i].location->word == (uintptr_t)from)
      bases[i].location->word = (uintptr_t)to;
}

/* Called by the managed code. */
void collect(void) {
  static const struct spgc_stack_visitor visitor = {.frame = see_frame, .bases = move_bases};
  struct spgc_walk_counts counts;
  to[0] = from[0];
  spgc_walk_stack(base, &visitor, &counts);
  printf("frames: %" PRIu64 ", references in slots: %" PRIu64 ", in registers: %" PRIu64 "\n",
         counts.managed_frames, counts.roots_in_slots, counts.roots_in_registers);
}

int main(void) {
  base = __builtin_frame_address(0);
  struct spgc_error error;
  struct spgc_stackmap *maps;
  size_t size = (size_t)(stack_maps_end - stack_maps_start);
  if (spgc_stackmap_register(stack_maps_start, size, &maps, &error) != SPGC_OK) {
    fprintf(stderr, "byte %" PRIu64 ": %s\n", error.position, error.message);
    return EXIT_FAILURE;
  }
  struct spgc_ref now = work(spgc_ref_from_word((uintptr_t)from));
  bool moved = now.word == (uintptr_t)to;
  printf("the object %s\n", moved ? "moved" : "was lost");
  spgc_stackmap_unregister(maps);
  return moved ? EXIT_SUCCESS : EXIT_FAILURE;
}
