/* A walk in progress, the visit of one of its frames, and what both start from. */
#ifndef SPGC_STACKWALK_WALK_H
#define SPGC_STACKWALK_WALK_H

#include "spgc/stackwalk.h"
#include "stackwalk/frame_entry.h"
#include "stackwalk/stack_variables.h"
#include "stackwalk/stacklets.h"
#include "stackwalk/suspended_frame.h"

enum {
  BARRIER_PLACES = 12
}; /* for a stack of WATERMARK_FIRST_FRAME * WATERMARK_FRAME_FACTOR ^ 12 frames */

/* Return addresses met that barriers may be set on, the youngest first. */
struct barrier_places {
  uint64_t next_frame; /* managed frames met when the next is wanted; UINT64_MAX: none is */
  unsigned count;
  struct stack_address places[BARRIER_PLACES];
};

struct spgc_suspended_stack {
  struct suspended_frame
      frame;                   /* that called spgc_stack_suspend: every register's place is known */
  struct stack_address lowest; /* below those places */
  struct stack_address base;
  struct stacklets stacklets;
  bool *is_compared; /* whether the ways of walking were: the places they find do not change while
                        it is suspended. Written by the walker */
};

/* Where a walk reads and writes: from the registers saved to the base; anywhere on the stacklets of
 * a stack that has them. A place that is not known is 0, and never inside. */
static inline void suspended_stack_extent(const struct spgc_suspended_stack *stack,
                                          struct stack_address *lowest,
                                          struct stack_address *limit) {
  lowest->word = stack->stacklets.exist ? WORD_SIZE : stack->lowest.word;
  limit->word = stack->stacklets.exist ? UINTPTR_MAX : stack->base.word;
}

/* What spgc_walk_select chose. */
enum spgc_walk spgc_walk_selected(void);

struct walk {
  const struct spgc_stack_visitor *visitor;
  struct stack_address lowest, limit; /* roots are in [lowest, limit) */
  struct stack_address base;
  bool by_description; /* the reference: table entries' short form of the roots is not used */
  struct spgc_walk_counts counts;
  struct barrier_places barriers;
  struct stack_variables *variables; /* where those of the frames met are noted; NULL: nowhere */
  bool without_variables;            /* they are not visited */
};

/* Those of a usual frame. */
static inline void walk_count_roots(struct walk *walk, const struct frame_entry *entry) {
  walk->counts.roots_in_registers += frame_entry_register_count(entry);
  walk->counts.roots_in_slots += entry->slot_count;
}

/* A managed frame being visited. */
struct visit {
  struct walk *walk;
  const struct frame_description *description;
  const struct suspended_frame *suspended;
  struct spgc_frame frame; /* as the visitor sees it */
};

/* The first word of the run; word k follows at location + k. Fatal when it does not lie on the
 * walked stack. */
struct spgc_slot spgc_visit_locate(const struct visit *visit, const struct location *location);

/* The value of a register that locations are counted from, in the frame. Fatal when it was not
 * saved on the stack. */
uintptr_t spgc_visit_register(const struct visit *visit, unsigned reg);

/* Where the frame's callee-saved register was saved by a frame it called. Fatal likewise. */
uintptr_t spgc_visit_saved_register(const struct visit *visit, unsigned reg);

/* `size` bytes at an offset from the register's value. Fatal when they do not lie on the walked
 * stack. */
uintptr_t spgc_visit_stack_place(const struct visit *visit, unsigned reg, intptr_t offset,
                                 uintptr_t size);

/* Reports the roots, then has the visitor move them: any frame, by its description. */
void spgc_visit_roots(const struct visit *visit);

/* Names the root of a usual frame that does not lie on the walked stack. */
__attribute__((cold, noreturn)) void spgc_visit_reject(struct walk *walk,
                                                       const struct frame_entry *entry,
                                                       const struct spgc_frame *frame,
                                                       const struct suspended_frame *suspended);

/* Reports the deopt state, for a visitor with `deopt`. */
void spgc_visit_deopt(const struct visit *visit);

#endif
