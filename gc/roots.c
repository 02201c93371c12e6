#include "gc/roots.h"

#include "gc/handles.h"
#include "gc/modules.h"

static void forward_root(void *context, struct spgc_slot slot, const char *what) {
  spgc_evacuation_forward(context, slot);
}

static void forward_stack_bases(void *context, const struct spgc_frame *frame, const struct spgc_slot *bases,
                                size_t count) {
  for (size_t i = 0; i < count; i++)
    spgc_evacuation_forward(context, bases[i]);
}

void spgc_roots_forward(struct spgc_stopped_world world, struct spgc_evacuation *evacuation,
                        struct spgc_walk_counts *counts) {
  struct spgc_stack_visitor visitor = {.context = evacuation, .bases = forward_stack_bases};
  spgc_walk_stack(world.mutators->stack_base, &visitor, counts);
  spgc_handle_stack_visit(&world.mutators->handles, forward_root, evacuation);
  spgc_global_handles_visit(forward_root, evacuation);
  spgc_modules_visit(forward_root, evacuation);
}

static void mark_root(void *context, struct spgc_slot slot, const char *what) {
  struct spgc_marker *marker = context;
  if (spgc_heap_contains(marker->heap, slot.location->word))
    spgc_mark(marker, slot.location->word);
}

static void mark_stack_bases(void *context, const struct spgc_frame *frame, const struct spgc_slot *bases,
                             size_t count) {
  for (size_t i = 0; i < count; i++)
    mark_root(context, bases[i], NULL);
}

void spgc_roots_mark(struct spgc_stopped_world world, struct spgc_marker *marker) {
  struct spgc_stack_visitor visitor = {.context = marker, .bases = mark_stack_bases};
  spgc_walk_stack(world.mutators->stack_base, &visitor, NULL);
  spgc_handle_stack_visit(&world.mutators->handles, mark_root, marker);
  spgc_global_handles_visit(mark_root, marker);
  spgc_modules_visit(mark_root, marker);
}

/* The first wrong root ends the check; the visits go on. */
struct root_check {
  const struct spgc_check *check;
  struct spgc_error *error;
  enum spgc_result result;
};

static void check_root(void *context, struct spgc_slot slot, const char *what) {
  struct root_check *roots = context;
  if (roots->result == SPGC_OK)
    roots->result = spgc_check_root(roots->check, what, slot, roots->error);
}

static void check_stack_root(void *context, const struct spgc_frame *frame, const struct spgc_root *root) {
  check_root(context, root->base, root->base_in_register ? "saved register" : "stack slot");
}

enum spgc_result spgc_roots_check(struct spgc_stopped_world world, const struct spgc_check *check,
                                  struct spgc_error *error) {
  struct root_check roots = {check, error, SPGC_OK};
  struct spgc_stack_visitor visitor = {.context = &roots, .root = check_stack_root};
  spgc_walk_stack(world.mutators->stack_base, &visitor, NULL);
  spgc_handle_stack_visit(&world.mutators->handles, check_root, &roots);
  spgc_global_handles_visit(check_root, &roots);
  spgc_modules_visit(check_root, &roots);
  return roots.result;
}
