#ifndef SPGC_STACKWALK_WALK_H
#define SPGC_STACKWALK_WALK_H

#include <inttypes.h>

#include "spgc/stackwalk.h"
#include "stackwalk/frame_entry.h"
#include "stackwalk/stack_variables.h"
#include "stackwalk/stacklets.h"
#include "stackwalk/suspended_frame.h"
#include "support/fatal.h"

enum { BARRIER_PLACES = 12 }; /* for WATERMARK_FIRST_FRAME * WATERMARK_FRAME_FACTOR ^ 12 frames */

/* Barriers may replace these, the youngest first. */
struct barrier_places {
  uint64_t next_frame; /* the managed frame with the next place; UINT64_MAX: none */
  unsigned count;
  struct stack_address places[BARRIER_PLACES];
};

struct spgc_suspended_stack {
  /* The frame that called spgc_stack_suspend: every register's place is known. */
  struct suspended_frame frame;
  struct stack_address lowest; /* below those places */
  struct stack_address base;
  struct stacklets stacklets;
  bool *is_compared; /* the two ways of walking were compared, and agree until the stack is resumed.
                        Written by the walker */
};

/* With stacklets, addresses have no order. */
static inline void suspended_stack_require_base(const struct spgc_suspended_stack *stack) {
  spgc_require(stack->lowest.word < stack->base.word || stack->stacklets.exist,
               "base 0x%" PRIxPTR " is below the stack pointer: give __builtin_frame_address(0) of "
               "a function that is still active (spgc/stackwalk.h)",
               stack->base.word);
}

/* A walk accesses the saved registers up to the base, or any address with stacklets, but never 0,
 * an unknown place. */
static inline void suspended_stack_extent(const struct spgc_suspended_stack *stack,
                                          struct stack_address *lowest,
                                          struct stack_address *limit) {
  lowest->word = stack->stacklets.exist ? WORD_SIZE : stack->lowest.word;
  limit->word = stack->stacklets.exist ? UINTPTR_MAX : stack->base.word;
}

enum spgc_walk spgc_walk_selected(void);

struct walk {
  const struct spgc_stack_visitor *visitor;
  struct stack_address lowest, limit; /* roots are in [lowest, limit) */
  struct stack_address base;
  bool by_description; /* as the reference, ignore the short form of roots in entries */
  struct spgc_walk_counts counts;
  struct barrier_places barriers;
  /* The variables of the frames met, or NULL. */
  struct stack_variables *variables;
  bool without_variables;
};

enum walk_frames {
  WALK_ALL,
  WALK_RESUMED,           /* frames resumed since the watermark was set; sets it above them */
  WALK_RESUMED_UNCHANGED, /* the same frames, but the watermark stays */
  WALK_UNRESUMED,         /* the other frames */
};

struct walk_extent {
  enum walk_frames frames;
  struct spgc_watermark *watermark; /* NULL with WALK_ALL */
  struct stack_variables
      *variables; /* gets the variables of all frames, even of omitted ones; or NULL. Until the
                     stack is resumed, a walk needs only them, unless they overflowed */
  bool without_variables;
};

void spgc_walk(const struct spgc_suspended_stack *stack, const struct walk_extent *extent,
               const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

/* The stack was not resumed since the walk that collected them. */
void spgc_walk_variables(const struct stack_variables *variables,
                         const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

static inline void walk_count_roots(struct walk *walk, const struct frame_entry *entry) {
  walk->counts.roots_in_registers += frame_entry_register_count(entry);
  walk->counts.roots_in_slots += entry->slot_count;
}

struct visit {
  struct walk *walk;
  const struct frame_description *description;
  const struct suspended_frame *suspended;
  struct spgc_frame frame;
};

/* Word k is at location + k. Fatal if it is not on the walked stack. */
struct spgc_slot spgc_visit_locate(const struct visit *visit, const struct location *location);

/* The frame's value of a register. Fatal if it was not saved on the stack. */
uintptr_t spgc_visit_register(const struct visit *visit, unsigned reg);

/* Where a frame further in saved the register. Fatal if none did. */
uintptr_t spgc_visit_saved_register(const struct visit *visit, unsigned reg);

/* Fatal if the `size` bytes there are not on the walked stack. */
uintptr_t spgc_visit_stack_place(const struct visit *visit, unsigned reg, intptr_t offset,
                                 uintptr_t size);

/* The frame's description suits any frame. */
void spgc_visit_roots(const struct visit *visit);

/* Names the root that is not on the walked stack. */
__attribute__((cold, noreturn)) void spgc_visit_reject(struct walk *walk,
                                                       const struct frame_entry *entry,
                                                       const struct spgc_frame *frame,
                                                       const struct suspended_frame *suspended);

void spgc_visit_deopt(const struct visit *visit);

#endif
