/* Walking a thread's stack: managed frames, and the references in their slots and saved registers.
 *
 * Usable without the collector. Between the frames of generated code there may be C frames; they
 * are stepped through. A return address inside a registered function without a record, a walk that
 * does not reach `base`, or a callee-saved register whose save location is not on the stack is
 * fatal: a root is never skipped.
 */
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
  SPGC_WALK_FAST,   /* managed frames by the unwind plan learned of each return address; C frames,
                       and managed ones without a plan, by their call frame information, that of
                       code made at run time included; what that leaves out by libunwind. No
                       system calls but in libunwind, and no locks */
  SPGC_WALK_UNWIND, /* libunwind alone, the reference */
  SPGC_WALK_DIFFERENTIAL, /* first both ways side by side, without writing; any difference is fatal;
                             then fast */
};

/* For all walks of the process that start later; SPGC_WALK_FAST until then. spgc_start sets it to
 * its option `walk`. Any thread. */
void spgc_walk_select(enum spgc_walk walk);

/* One managed frame, valid during the callback. */
struct spgc_frame {
  uintptr_t return_address; /* where the frame goes on; the key of its record */
  uintptr_t stack_pointer;  /* the frame's stack pointer at the call */
  uint64_t
      statepoint_id; /* "statepoint-id" of the call site; 2882400000 when the frontend gave none */
  uint64_t statepoint_flags; /* bit 0: GC transition */
};

/* Where one reference of a frame is. `derived.location == base.location` for an ordinary reference.
 * A base that is a constant (null) is not reported, nor is what derives from it: no object is
 * meant. */
struct spgc_root {
  struct spgc_slot base;
  struct spgc_slot derived;
  bool base_in_register; /* the slot is where a callee-saved register was saved */
  bool derived_in_register;
};

enum spgc_deopt_kind {
  SPGC_DEOPT_STORED,   /* in a stack slot, or where a callee-saved register was saved */
  SPGC_DEOPT_CONSTANT, /* in the map */
  SPGC_DEOPT_ADDRESS,  /* of a variable on the stack (an alloca) */
  SPGC_DEOPT_LOST, /* was in a register that calls do not preserve ("deopt-lowering"="live-in") */
};

/* One value of a frame's deopt state: an operand of the call site's "deopt" bundle. A reference
 * among them is a root too, so that the value is the object's address of now. Valid during the
 * callback. */
struct spgc_deopt_value {
  uint32_t index; /* of the operand, from 0 */
  uint32_t count; /* of the frame's values */
  enum spgc_deopt_kind kind;
  uint32_t size; /* in bytes, as the map says; a constant's is 8 */
  uint64_t word; /* the value: constants with their sign extended, stored values of fewer than 8
                    bytes with zeros; the first 8 bytes of more; 0 when lost */
  const void
      *place; /* stored: all `size` bytes, aligned or not; must not be written. Otherwise NULL */
};

/* Reading and moving. For each managed frame, innermost first: `frame` (may be NULL; return false
 * to end the walk), then `bases` (may be NULL) with the distinct base locations, each once, which
 * it may overwrite with the objects' new addresses; whereupon the walker rewrites the locations
 * that derive from them to new base + (old derived - old base). `bases` is called for all bases of
 * a frame together or for some at a time, never with none; for a visitor without `frame`, `root`
 * and `deopt` also for bases of several frames together, in any order. `root` (may be NULL) sees
 * each (base, derived) pair before any `bases` of that frame is called, and must not write. `deopt`
 * (may be NULL) sees each value of the frame's deopt state, in the bundle's order, after all
 * `bases` of that frame: what was moved has moved.
 *
 * None of these may come to a safepoint, leave the walk by longjmp, spgc_leave or an exception, or
 * register or unregister stack maps, modules or libraries that have some: who removes code, or
 * forks, waits for the ends of walks. A call that comes to a safepoint is fatal there, and names
 * itself.
 */
struct spgc_stack_visitor {
  void *context;
  bool (*frame)(void *context, const struct spgc_frame *frame);
  void (*root)(void *context, const struct spgc_frame *frame, const struct spgc_root *root);
  void (*bases)(void *context, const struct spgc_slot *bases, size_t count);
  void (*deopt)(void *context, const struct spgc_frame *frame,
                const struct spgc_deopt_value *value);
};

struct spgc_walk_counts {
  uint64_t frames; /* all frames stepped through */
  uint64_t managed_frames;
  uint64_t roots_in_slots; /* distinct base locations */
  uint64_t roots_in_registers;
  uint64_t registers_rewritten; /* saved registers, base or derived, whose value changed */
};

/* Walks the calling thread's stack from this call up to `base` (a frame address as in
 * spgc_thread_attach). Does not call malloc. `counts` may be NULL. Writes through saved registers
 * take effect when the frames between return. */
void spgc_walk_stack(void *base, const struct spgc_stack_visitor *visitor,
                     struct spgc_walk_counts *counts);

/* A stack that any thread may walk, because its own stays inside spgc_stack_suspend. */
struct spgc_suspended_stack;

/* Saves every callee-saved register and calls `body`, which may wait, or run C code for as long as
 * it likes. From its beginning to its end the stack between this call and `base` may be walked by
 * whoever learned of `stack`, one walker at a time; what a walk rewrites takes effect when the
 * frames between return. Returns what `body` returns. Any thread.
 */
void *spgc_stack_suspend(void *base,
                         void *(*body)(const struct spgc_suspended_stack *stack, void *context),
                         void *context);

/* As spgc_walk_stack, from the call of spgc_stack_suspend outwards. Any thread. */
void spgc_walk_suspended(const struct spgc_suspended_stack *stack,
                         const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

/* Returns when every walk of any thread that was under way has ended; walks that begin meanwhile
 * are not waited for: for freeing what walks may be reading, such as unwind information that was
 * just replaced. Any thread, not inside a walk.
 */
void spgc_walk_wait(void);

/* A mark on one thread's stack: the frames older than it were not resumed since it was set, so that
 * they hold what they held then. For collectors that visit all frames once and, while the young
 * objects of then are all gone, need only those entered or resumed since.
 *
 * It is kept by replacing the return addresses of a few frames. Returns, tail calls, exceptions,
 * longjmp, C frames, unwinders and debuggers are not disturbed; but code that reads its own return
 * address may find one of the library's. A frame in whose function exceptions may be caught is
 * never marked; where no frame can be, every walk meets all. The thread that stays in
 * spgc_stack_suspend may unwind its stack while another sets the mark.
 *
 * Variables on the stack are the exception: what a frame called may have stored references in them,
 * so every walk visits those of all frames: of the frames left out by `bases` alone. */
struct spgc_watermark;

/* Any thread. NULL when memory is short, or when there are too many (256 exist): such a stack is
 * walked whole. */
struct spgc_watermark *spgc_watermark_create(void);

/* No frame that was walked with it may be active. NULL does nothing. Any thread. */
void spgc_watermark_destroy(struct spgc_watermark *watermark);

/* Takes marks away beyond those that serve best, so that the next walk can set new ones. For the
 * thread whose stack it is, each time before it suspends it: only then does nobody unwind the
 * stack. Where it is not called, walks of deep stacks come to meet more frames than were resumed.
 * NULL does nothing. */
void spgc_watermark_thin(struct spgc_watermark *watermark);

/* As spgc_walk_suspended, but meets only the frames entered or resumed since the last such walk
 * with this watermark; the first walk meets all. Then sets the watermark above them, unless the
 * visitor ended the walk. A watermark is for one thread's stack; NULL is as if all frames had been
 * resumed. */
void spgc_walk_resumed(const struct spgc_suspended_stack *stack, struct spgc_watermark *watermark,
                       const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

/* As spgc_walk_resumed, but leaves the watermark where it is: the next such walk meets the same
 * frames. */
void spgc_walk_resumed_unchanged(const struct spgc_suspended_stack *stack,
                                 struct spgc_watermark *watermark,
                                 const struct spgc_stack_visitor *visitor,
                                 struct spgc_walk_counts *counts);

/* As spgc_walk_suspended, but meets only the frames that spgc_walk_resumed would leave out, and not
 * their variables: for checks. */
void spgc_walk_unresumed(const struct spgc_suspended_stack *stack, struct spgc_watermark *watermark,
                         const struct spgc_stack_visitor *visitor, struct spgc_walk_counts *counts);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
