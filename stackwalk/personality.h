#ifndef SPGC_STACKWALK_PERSONALITY_H
#define SPGC_STACKWALK_PERSONALITY_H

struct _Unwind_Exception;

/* Called before a landing pad is entered, for spgc_exception. */
void spgc_personality_note(struct _Unwind_Exception *exception);

#endif
