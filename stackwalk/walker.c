#include <inttypes.h>

#include "stackwalk/differential.h"
#include "stackwalk/entry_roots.h"
#include "stackwalk/simple_frames.h"
#include "stackwalk/stepper.h"
#include "stackwalk/walk.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/fatal.h"

__attribute__((noinline)) static void
visit_by_description(struct walk *walk, const struct frame_entry *entry,
                     const struct spgc_frame *frame, const struct suspended_frame *suspended) {
  struct entry_description room;
  const struct visit visit = {walk, spgc_frame_entry_description(entry, &room), suspended, *frame};
  spgc_visit_roots(&visit);
}

__attribute__((always_inline)) static inline unsigned
move_roots(struct walk *walk, const struct frame_entry *entry, const struct spgc_frame *frame,
           struct suspended_frame *suspended) {
  struct spgc_slot slots[ENTRY_ROOTS];
  uintptr_t old[CALLEE_SAVED_REGISTERS];
  unsigned registers = 0, in_slots = 0, rewritten = 0;
  if (!entry_registers_locate(walk, entry, suspended, slots, old, &registers) ||
      !entry_slots_locate(walk, entry, frame->stack_pointer, suspended, slots + registers,
                          &in_slots))
    spgc_visit_reject(walk, entry, frame, suspended);
  if (registers + in_slots != 0)
    walk->visitor->bases(walk->visitor->context, slots, registers + in_slots);
  while (registers-- != 0)
    rewritten += spgc_slot_load(slots[registers]).word != old[registers];
  return rewritten;
}

static inline struct spgc_frame frame_seen(const struct frame_entry *entry,
                                           uintptr_t stack_pointer) {
  return (struct spgc_frame){.return_address = entry->return_address.word,
                             .stack_pointer = stack_pointer,
                             .statepoint_id = entry->id,
                             .statepoint_flags = entry->flags};
}

/* False if the visitor ends the walk. */
static inline bool visit_managed_frame(struct walk *walk, const struct frame_entry *entry,
                                       struct suspended_frame *suspended) {
  const struct spgc_stack_visitor *visitor = walk->visitor;
  struct spgc_frame frame = frame_seen(entry, frame_stack_pointer(suspended));
  if (visitor->frame != NULL && !visitor->frame(visitor->context, &frame))
    return false;
  if (frame_entry_is_described(entry) || visitor->root != NULL || walk->by_description) {
    visit_by_description(walk, entry, &frame, suspended);
    return true;
  }
  walk_count_roots(walk, entry);
  if (visitor->bases != NULL)
    walk->counts.registers_rewritten += move_roots(walk, entry, &frame, suspended);
  return true;
}

/* Notes the place of the return address for a barrier, unless the word is signed, because the
 * function would check it, or an exception may end in the frame: the unwinder could not tell frame
 * and barrier apart, because they have the same canonical frame address. */
__attribute__((noinline)) static void want_barrier(struct barrier_places *barriers,
                                                   const struct stepper *stepper) {
  const struct stack_address place = frame_return_place(&stepper->frame);
  bool fits = place.word != 0 &&
              *(const uintptr_t *)place.word == stepper->frame.return_address.word &&
              atomic_load_explicit(&stepper->entry->landing, memory_order_relaxed) == LANDING_NONE;
  if (!fits) {
    barriers->next_frame++;
    return;
  }
  barriers->places[barriers->count++] = place;
  barriers->next_frame = barriers->count == BARRIER_PLACES
                             ? UINT64_MAX
                             : barriers->next_frame * WATERMARK_FRAME_FACTOR;
}

/* Then a frame's table entry can suffice. */
static inline bool visits_only_bases(const struct walk *walk) {
  return walk->visitor->frame == NULL && walk->visitor->root == NULL && !walk->by_description;
}

static inline bool visit_frame(struct walk *walk, struct stepper *stepper) {
  walk->counts.frames++;
  if (stepper->entry == NULL)
    spgc_stepper_identify(stepper);
  if (stepper->entry == NULL)
    return true;
  if (++walk->counts.managed_frames == walk->barriers.next_frame)
    want_barrier(&walk->barriers, stepper);
  return visit_managed_frame(walk, stepper->entry, &stepper->frame);
}

static bool visit_frames(struct walk *walk, struct stepper *stepper) {
  const bool only_bases = visits_only_bases(walk);
  while (stepper_has_frame(stepper)) {
    uint64_t until_barrier = walk->barriers.next_frame - walk->counts.managed_frames - 1;
    if (only_bases && until_barrier != 0 && frame_is_simple(stepper->entry)) {
      spgc_visit_simple_frames(walk, stepper, until_barrier);
    } else {
      if (!visit_frame(walk, stepper))
        return false;
      stepper_advance(stepper);
    }
  }
  return true;
}

static uint64_t visit_variables(const struct spgc_stack_visitor *visitor,
                                const struct stack_variables *variables, unsigned count) {
  uint64_t words = 0;
  for (unsigned i = 0; i < count; i++) {
    const struct variable_run *run = &variables->runs[i];
    words += run->words;
    for (uint32_t word = 0; word < run->words && visitor->bases != NULL; word++) {
      struct spgc_slot slot = spgc_slot_at(run->first.location + word);
      visitor->bases(visitor->context, &slot, 1);
    }
  }
  return words;
}

static unsigned visit_left_out(struct walk *walk, const struct stepper *stepper) {
  if (!stepper->reached_watermark)
    return 0;
  const struct stack_variables *variables = &stepper->watermark->variables;
  unsigned older = spgc_stack_variables_older(variables, spgc_watermark_place(stepper->watermark));
  walk->counts.roots_in_slots += visit_variables(walk->visitor, variables, older);
  return older;
}

/* Sets new barriers, unless the visitor ended the walk before it had seen all frames. A stack with
 * stacklets gets none, because its return addresses do not ascend as barriers must. */
static void visit_resumed(struct walk *walk, struct stepper *stepper) {
  struct stack_variables *variables = &stepper->watermark->variables;
  walk->barriers.next_frame = stepper->stacklets.exist ? UINT64_MAX : WATERMARK_FIRST_FRAME;
  walk->variables = variables;
  spgc_stack_variables_begin(variables);
  if (!visit_frames(walk, stepper))
    return;
  if (!stepper->reached_watermark)
    spgc_watermark_reset(stepper->watermark);
  if (!spgc_stack_variables_settle(variables, visit_left_out(walk, stepper)))
    walk->barriers.count = 0;
  while (walk->barriers.count != 0)
    spgc_watermark_append(stepper->watermark, walk->barriers.places[--walk->barriers.count]);
}

static void visit_unresumed(struct walk *walk, struct stepper *stepper) {
  for (; stepper_has_frame(stepper); stepper_advance(stepper))
    if (stepper->entry == NULL)
      spgc_stepper_identify(stepper);
  stepper->base = walk->base;
  stepper->watermark = NULL;
  visit_frames(walk, stepper);
}

static void visit_extent(struct walk *walk, struct stepper *stepper, enum walk_frames frames) {
  switch (frames) {
  case WALK_ALL: visit_frames(walk, stepper); break;
  case WALK_RESUMED: visit_resumed(walk, stepper); break;
  case WALK_RESUMED_UNCHANGED:
    if (visit_frames(walk, stepper))
      visit_left_out(walk, stepper);
    break;
  case WALK_UNRESUMED: visit_unresumed(walk, stepper); break;
  }
}

/* A watermark collects the variables of its own walks. */
static struct stack_variables *collected_by(const struct walk_extent *extent) {
  if (extent->variables == NULL || extent->watermark != NULL)
    return NULL;
  extent->variables->known = 0;
  spgc_stack_variables_begin(extent->variables);
  return extent->variables;
}

static void settle_variables(const struct walk_extent *extent) {
  if (extent->variables == NULL)
    return;
  if (extent->watermark != NULL)
    spgc_stack_variables_copy(extent->variables, &extent->watermark->variables);
  else
    spgc_stack_variables_settle(extent->variables, 0);
}

static void require_known(const struct spgc_stack_visitor *visitor) {
  spgc_require((visitor->reserved[0] | visitor->reserved[1] | visitor->reserved[2]) == 0,
               "a walk's visitor has `reserved` members that are not 0: set only those that have "
               "a meaning, or link a later release of the library");
}

void spgc_walk(const struct spgc_suspended_stack *stack, const struct walk_extent *extent,
               const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts) {
  require_known(visitor);
  enum spgc_walk how = spgc_walk_selected();
  struct walk walk = {.visitor = visitor,
                      .base = stack->base,
                      .by_description = how == SPGC_WALK_UNWIND,
                      .variables = collected_by(extent),
                      .without_variables = extent->without_variables,
                      .barriers.next_frame = UINT64_MAX};
  struct stepper stepper;
  suspended_stack_require_base(stack);
  suspended_stack_extent(stack, &walk.lowest, &walk.limit);
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  if (how == SPGC_WALK_DIFFERENTIAL && !*stack->is_compared) {
    spgc_compare_walks(stack, &walk);
    *stack->is_compared = true;
  }
  spgc_stepper_start(&stepper, stack, extent->watermark, !walk.by_description);
  visit_extent(&walk, &stepper, extent->frames);
  spgc_walkers_leave(entered);
  settle_variables(extent);
  if (counts != NULL)
    *counts = walk.counts;
}

void spgc_walk_variables(const struct stack_variables *variables,
                         const struct spgc_stack_visitor *visitor,
                         struct spgc_walk_counts *counts) {
  *counts = (struct spgc_walk_counts){.roots_in_slots =
                                          visit_variables(visitor, variables, variables->known)};
}
