/* The interface between the personality and the one-pass unwinder. */
#ifndef SPGC_STACKWALK_PERSONALITY_H
#define SPGC_STACKWALK_PERSONALITY_H

struct _Unwind_Exception;

/* Notes that the calling thread is about to enter a landing pad for this exception. spgc_exception
 * returns it from then on. */
void spgc_personality_note(struct _Unwind_Exception *exception);

#endif
