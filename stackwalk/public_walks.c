#include "stackwalk/unwinder.h"
#include "stackwalk/walk.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/fatal.h"

static _Atomic(enum spgc_walk) selected = SPGC_WALK_FAST;

/* Counts as a walker, to keep out forks. */
static void prepare_unwinder(void) {
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  spgc_unwinder_prepare();
  spgc_walkers_leave(entered);
}

/* libunwind opens descriptors when first used: here, not in a collection. */
void spgc_walk_select(enum spgc_walk walk) {
  spgc_require((unsigned)walk <= SPGC_WALK_DIFFERENTIAL, "spgc_walk_select: there is no walk %d",
               (int)walk);
  prepare_unwinder();
  atomic_store_explicit(&selected, walk, memory_order_relaxed);
}

enum spgc_walk spgc_walk_selected(void) {
  return atomic_load_explicit(&selected, memory_order_relaxed);
}

static void require_given(const char *call, const struct spgc_suspended_stack *stack,
                          const struct spgc_stack_visitor *visitor) {
  spgc_require(stack != NULL, "%s: no stack is given", call);
  spgc_require(visitor != NULL, "%s: no visitor is given", call);
}

void spgc_walk_suspended(const struct spgc_suspended_stack *stack,
                         const struct spgc_stack_visitor *visitor,
                         struct spgc_walk_counts *counts) {
  require_given(__func__, stack, visitor);
  spgc_walk(stack, &(struct walk_extent){.frames = WALK_ALL}, visitor, counts);
}

void spgc_walk_resumed(const struct spgc_suspended_stack *stack, struct spgc_watermark *watermark,
                       const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts) {
  const struct walk_extent extent = {.frames = watermark != NULL ? WALK_RESUMED : WALK_ALL,
                                     .watermark = watermark};
  require_given(__func__, stack, visitor);
  spgc_walk(stack, &extent, visitor, counts);
}

void spgc_walk_resumed_unchanged(const struct spgc_suspended_stack *stack,
                                 struct spgc_watermark *watermark,
                                 const struct spgc_stack_visitor *visitor,
                                 struct spgc_walk_counts *counts) {
  const struct walk_extent extent = {.frames = WALK_RESUMED_UNCHANGED, .watermark = watermark};
  require_given(__func__, stack, visitor);
  spgc_walk(stack, &extent, visitor, counts);
}

void spgc_walk_unresumed(const struct spgc_suspended_stack *stack, struct spgc_watermark *watermark,
                         const struct spgc_stack_visitor *visitor,
                         struct spgc_walk_counts *counts) {
  const struct walk_extent extent = {
      .frames = WALK_UNRESUMED, .watermark = watermark, .without_variables = true};
  require_given(__func__, stack, visitor);
  spgc_walk(stack, &extent, visitor, counts);
}

struct own_walk {
  const struct spgc_stack_visitor *visitor;
  struct spgc_walk_counts *counts;
};

static void *walk_own(const struct spgc_suspended_stack *stack, void *context) {
  const struct own_walk *walk = context;
  spgc_walk_suspended(stack, walk->visitor, walk->counts);
  return NULL;
}

void spgc_walk_stack(void *base, const struct spgc_stack_visitor *visitor,
                     struct spgc_walk_counts *counts) {
  struct own_walk walk = {visitor, counts};
  spgc_require_use(visitor != NULL, "no visitor is given");
  spgc_stack_suspend(base, walk_own, &walk);
}

void spgc_walk_wait(void) {
  spgc_walkers_wait();
}
