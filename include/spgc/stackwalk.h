/* Stack walks: the managed frames of a thread, and the references in their slots and saved
 * registers.
 *
 * Usable without the collector. Walks step through C frames. They never skip a root: it is fatal if
 * a return address in a registered function has no record, if the walk does not reach `base`, or if
 * a callee-saved register is saved outside the stack. */
#ifndef SPGC_STACKWALK_H
#define SPGC_STACKWALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* How frames are found. */
enum spgc_walk {
  /* Managed frames by the unwind plan learned for each return address; others by their call frame
   * information, also of code made at run time, or else by libunwind. No locks, and no system calls
   * except in libunwind. */
  SPGC_WALK_FAST,
  /* libunwind alone, as the reference. */
  SPGC_WALK_UNWIND,
  /* Both side by side without writing, then fast. A difference is fatal. */
  SPGC_WALK_DIFFERENTIAL,
};

/* Chooses how later walks of the process find frames: SPGC_WALK_FAST by default. spgc_start sets it
 * to its option `walk`. Any thread. */
void spgc_walk_select(enum spgc_walk walk);

/* A managed frame. Valid during the callback. */
struct spgc_frame {
  uintptr_t return_address;  /* the frame resumes there */
  uintptr_t stack_pointer;   /* at the call */
  uint64_t statepoint_id;    /* the call site's; 2882400000 if the frontend gave none */
  uint64_t statepoint_flags; /* bit 0: GC transition */
};

/* The places of one reference of a frame. `derived.location == base.location` for an ordinary one.
 * Constant bases (null) refer to no object: neither they nor references derived from them are
 * reported. */
struct spgc_root {
  struct spgc_slot base;
  struct spgc_slot derived;
  bool base_in_register; /* in a saved callee-saved register */
  bool derived_in_register;
  uint16_t base_register; /* DWARF number (System V psABI), if base_in_register */
  uint16_t derived_register;
};

/* Where a value of the deopt state is. Later releases may add kinds. */
enum spgc_deopt_kind {
  SPGC_DEOPT_STORED,   /* stored in a stack slot or a saved callee-saved register */
  SPGC_DEOPT_CONSTANT, /* in the map */
  SPGC_DEOPT_ADDRESS,  /* the address of an alloca */
  SPGC_DEOPT_LOST,     /* in a register that calls do not preserve ("deopt-lowering"="live-in") */
};

/* An operand of the call site's "deopt" bundle. A reference among them is also a root, so the value
 * is the object's current address. Valid during the callback. */
struct spgc_deopt_value {
  uint32_t index; /* the operand's number, from 0 */
  uint32_t count; /* the number of the frame's values */
  enum spgc_deopt_kind kind;
  uint32_t size; /* in bytes, from the map; 8 for a constant */
  uint64_t word; /* constants sign-extended, stored values of fewer than 8 bytes zero-extended, the
                    first 8 bytes of longer ones; 0 if lost */
  const void
      *place; /* if stored: all `size` bytes, aligned or not, not to be written; otherwise NULL */
};

/* The callbacks of a walk. Each may be NULL.
 *
 * The walk calls them for each managed frame, innermost first:
 *   frame   first; returning false ends the walk.
 *   root    for each (base, derived) pair, before any `bases` of the frame. It must not write.
 *   bases   for the distinct base locations, each once. It may overwrite them with the objects' new
 *           addresses. Then the walker rewrites the derived locations to new base + (old derived -
 *           old base). It gets all bases of a frame together or some at a time, never none. Without
 *           `frame`, `root` and `deopt`, it also gets bases of several frames together, in any
 *           order.
 *   deopt   for each value of the frame's deopt state, in the bundle's order, after all `bases` of
 *           the frame. So it sees moved objects at their new addresses.
 *
 * A callback must not reach a safepoint, which is fatal with a message, nor leave the walk by
 * longjmp, spgc_leave or an exception. It must not register or unregister stack maps, or modules or
 * libraries with stack maps, because a thread that removes code or forks waits for walks to end. */
struct spgc_stack_visitor {
  void *context;
  bool (*frame)(void *context, const struct spgc_frame *frame);
  void (*root)(void *context, const struct spgc_frame *frame, const struct spgc_root *root);
  void (*bases)(void *context, const struct spgc_slot *bases, size_t count);
  void (*deopt)(void *context, const struct spgc_frame *frame,
                const struct spgc_deopt_value *value);
  uintptr_t reserved[3]; /* must be 0 (fatal otherwise): for callbacks of later releases */
};

/* The library writes all of it. */
struct spgc_walk_counts {
  uint64_t frames;
  uint64_t managed_frames;
  uint64_t roots_in_slots; /* distinct base locations */
  uint64_t roots_in_registers;
  uint64_t registers_rewritten; /* saved registers, base or derived, that changed */
  uint64_t reserved[3];         /* 0; for later releases */
};

/* Walks the calling thread's stack from this call up to `base`: __builtin_frame_address(0) of a
 * function that is still active. (On AArch64 this is the lowest address of its frame. A function
 * that it tail-calls may have its frame above, which is left out.) Does not call malloc. `counts`
 * may be NULL. New values of saved registers take effect when the frames in between return. Any
 * thread. */
void spgc_walk_stack(void *base, const struct spgc_stack_visitor *visitor,
                     struct spgc_walk_counts *counts);

/* A stack that any thread may walk while its own thread is inside spgc_stack_suspend. */
struct spgc_suspended_stack;

/* Saves every callee-saved register, calls `body`, and returns its result. While `body` waits or
 * runs any C code, other threads may walk the stack between this call and `base`, one at a time.
 * Rewritten registers take effect when the frames in between return. Any thread. */
void *spgc_stack_suspend(void *base,
                         void *(*body)(const struct spgc_suspended_stack *stack, void *context),
                         void *context);

/* Walks like spgc_walk_stack, from the call of spgc_stack_suspend outwards. Any thread. */
void spgc_walk_suspended(const struct spgc_suspended_stack *stack,
                         const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

/* Waits until all current walks, of any thread, have ended, not for later ones. Call it before
 * freeing data that walks may read, such as replaced unwind information. Any thread, not inside a
 * walk. */
void spgc_walk_wait(void);

/* A watermark on one thread's stack: older frames have not been resumed since it was set, so their
 * references have not changed, and a collector need visit only the others.
 *
 * It replaces the return addresses of a few frames. Returns, tail calls, exceptions, longjmp, C
 * frames, unwinders and debuggers work as before; but code that reads its own return address may
 * find one of the library's. A frame whose function may catch exceptions is never marked. If no
 * frame can be marked, every walk visits all frames. The thread inside spgc_stack_suspend may
 * unwind its stack while another thread sets the mark.
 *
 * Callees may store references in variables on the stack, so every walk visits the variables of all
 * frames, calling only `bases` for those of skipped frames. */
struct spgc_watermark;

/* NULL if memory is short, if 256 exist, or if the calling thread has a shadow stack, which would
 * refuse the replaced return addresses. Any thread. */
struct spgc_watermark *spgc_watermark_create(void);

/* No frame that was walked with the watermark may be active. NULL does nothing. Any thread. */
void spgc_watermark_destroy(struct spgc_watermark *watermark);

/* Removes all marks but the most useful ones. Otherwise the next walk could set no new ones, and
 * walks of deep stacks would visit more frames than were resumed. The stack's own thread calls it
 * each time before it suspends the stack, while no other thread unwinds it. NULL does nothing. */
void spgc_watermark_thin(struct spgc_watermark *watermark);

/* Walks like spgc_walk_suspended, but visits only the frames entered or resumed since the last such
 * walk with this watermark; the first, or one without a watermark (NULL), visits all. Then it sets
 * the watermark above them, unless the visitor ended the walk. A watermark belongs to one thread's
 * stack. Any thread, one walker at a time; so are the two walks below. */
void spgc_walk_resumed(const struct spgc_suspended_stack *stack, struct spgc_watermark *watermark,
                       const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

/* Like spgc_walk_resumed, but leaves the watermark, so the next such walk visits the same frames.
 */
void spgc_walk_resumed_unchanged(const struct spgc_suspended_stack *stack,
                                 struct spgc_watermark *watermark,
                                 const struct spgc_stack_visitor *visitor,
                                 struct spgc_walk_counts *counts);

/* For checks: visits only the frames that spgc_walk_resumed would skip, and not their variables. */
void spgc_walk_unresumed(const struct spgc_suspended_stack *stack, struct spgc_watermark *watermark,
                         const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
