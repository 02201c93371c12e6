#ifndef SPGC_STACKWALK_PERSONALITY_H
#define SPGC_STACKWALK_PERSONALITY_H

struct _Unwind_Exception;

/* Called before the calling thread enters a landing pad; spgc_exception then returns this
 * exception. */
void spgc_personality_note(struct _Unwind_Exception *exception);

#endif
