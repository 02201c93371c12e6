#ifndef SPGC_GC_MUTATOR_FIBER_SANITIZER_H
#define SPGC_GC_MUTATOR_FIBER_SANITIZER_H

struct spgc_fiber;

void spgc_sanitizer_create_fiber(struct spgc_fiber *fiber);
void spgc_sanitizer_destroy_fiber(struct spgc_fiber *fiber);

void spgc_sanitizer_leave_stack(struct spgc_fiber *from, struct spgc_fiber *to);

/* The fiber's stack starts or resumes. */
void spgc_sanitizer_enter_stack(struct spgc_fiber *fiber);

#endif
