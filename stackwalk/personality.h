#ifndef SPGC_STACKWALK_PERSONALITY_H
#define SPGC_STACKWALK_PERSONALITY_H

struct _Unwind_Exception;

/* The calling thread is about to enter a landing pad for this exception, which spgc_exception then
 * returns. */
void spgc_personality_note(struct _Unwind_Exception *exception);

#endif
