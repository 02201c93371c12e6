/* The walk: each frame out to the base, and the roots of the managed ones. */
#include <inttypes.h>

#include "stackwalk/differential.h"
#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"
#include "support/fatal.h"

static _Atomic(enum spgc_walk) selected = SPGC_WALK_FAST;

void spgc_walk_select(enum spgc_walk walk) {
  atomic_store_explicit(&selected, walk, memory_order_relaxed);
}

/* Names the root that does not lie on the walked stack. */
__attribute__((cold, noinline)) static void reject_roots(const struct visit *visit) {
  for (uint32_t i = 0; i < visit->description->base_count; i++)
    spgc_visit_locate(visit, &visit->description->bases[i]);
  spgc_fatal("the roots of the frame at 0x%" PRIxPTR " are not those of its description", visit->frame.return_address);
}

/* The usual frame: its table entry says all. */
static inline void move_roots(const struct visit *visit, const struct frame_entry *entry,
                              struct suspended_frame *suspended) {
  struct walk *walk = visit->walk;
  const struct spgc_stack_visitor *visitor = walk->visitor;
  bool found = frame_entry_load_pointer(entry, suspended, walk->lowest);
  for (unsigned i = 0; i < entry->root_count; i++) {
    uintptr_t address = found ? root_address(suspended, entry->roots[i]) : 0;
    if (address - walk->lowest.word >= walk->base.word - walk->lowest.word || address % WORD_SIZE != 0)
      reject_roots(visit);
    struct spgc_slot slot = spgc_slot_at((void *)address);
    uintptr_t old = spgc_slot_load(slot).word;
    bool in_register = i < entry->register_roots;
    visitor->base(visitor->context, &visit->frame, slot, in_register);
    walk->counts.registers_rewritten += in_register && spgc_slot_load(slot).word != old;
  }
}

/* False when the visitor ends the walk. */
static inline bool visit_managed_frame(struct walk *walk, const struct frame_entry *entry,
                                       struct suspended_frame *suspended) {
  const struct spgc_stack_visitor *visitor = walk->visitor;
  struct visit visit = {.walk = walk,
                        .description = entry->description,
                        .suspended = suspended,
                        .frame = {.return_address = entry->return_address.word,
                                  .stack_pointer = frame_stack_pointer(suspended),
                                  .statepoint_id = entry->id,
                                  .statepoint_flags = entry->flags}};
  walk->counts.managed_frames++;
  if (visitor->frame != NULL && !visitor->frame(visitor->context, &visit.frame))
    return false;
  if (walk->by_description || !entry->roots_complete || visitor->root != NULL) {
    spgc_visit_roots(&visit);
    return true;
  }
  walk->counts.roots_in_registers += entry->register_roots;
  walk->counts.roots_in_slots += entry->root_count - entry->register_roots;
  if (visitor->base != NULL)
    move_roots(&visit, entry, suspended);
  return true;
}

static void walk_frames(struct walk *walk, struct stepper *stepper) {
  for (;;) {
    stepper_advance(stepper);
    if (!stepper_has_frame(stepper))
      return;
    walk->counts.frames++;
    if (stepper->entry == NULL)
      spgc_stepper_require_unmanaged(stepper);
    else if (!visit_managed_frame(walk, stepper->entry, &stepper->frame))
      return;
  }
}

/* Saves every callee-saved register in its own frame, so that each has a place on the stack from which the frames that
 * called reload it. */
__attribute__((noinline)) void spgc_walk_stack(void *base, const struct spgc_stack_visitor *visitor,
                                               struct spgc_walk_counts *counts) {
  __builtin_unwind_init();
  unw_context_t context;
  int status = unw_getcontext(&context);
  spgc_require(status == 0, "libunwind cannot capture the context: %s", unw_strerror(status));
  enum spgc_walk how = atomic_load_explicit(&selected, memory_order_relaxed);
  struct walk walk = {.visitor = visitor, .base = {(uintptr_t)base}, .by_description = how == SPGC_WALK_UNWIND};
  struct stepper stepper;
  spgc_stepper_start(&stepper, &context, walk.base, !walk.by_description);
  walk.lowest = stepper.frame.origins[ORIGIN_STACK_POINTER];
  spgc_require(stepper_has_frame(&stepper), "base 0x%" PRIxPTR " lies below the stack pointer", walk.base.word);
  if (how == SPGC_WALK_DIFFERENTIAL)
    spgc_compare_walks(&context, walk.lowest, walk.base);
  walk_frames(&walk, &stepper);
  if (counts != NULL)
    *counts = walk.counts;
}
