/* Tells the address and thread sanitizers which stack runs, in programs built with one. */
#ifndef SPGC_GC_MUTATOR_FIBER_SANITIZER_H
#define SPGC_GC_MUTATOR_FIBER_SANITIZER_H

struct spgc_fiber;

/* After a fiber is created, and before it is destroyed. */
void spgc_sanitizer_create_fiber(struct spgc_fiber *fiber);
void spgc_sanitizer_destroy_fiber(struct spgc_fiber *fiber);

/* Right before a switch from one stack to another. */
void spgc_sanitizer_leave_stack(struct spgc_fiber *from, struct spgc_fiber *to);

/* When the fiber's stack starts to run, or runs again. */
void spgc_sanitizer_enter_stack(struct spgc_fiber *fiber);

#endif
