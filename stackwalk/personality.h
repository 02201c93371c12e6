/* What the personality and the one-pass unwinder share. */
#ifndef SPGC_STACKWALK_PERSONALITY_H
#define SPGC_STACKWALK_PERSONALITY_H

struct _Unwind_Exception;

/* The calling thread enters a landing pad for this exception next: what spgc_exception answers from
 * then on. */
void spgc_personality_note(struct _Unwind_Exception *exception);

#endif
