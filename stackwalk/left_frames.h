/* Telling the address sanitizer, where a program is built with one, which frames were left.
 *
 * An instrumented function marks the gaps between its variables when it is called, and clears the
 * marks when it returns. Frames that are left in another way keep theirs, and whatever runs there
 * next is reported. */
#ifndef SPGC_STACKWALK_LEFT_FRAMES_H
#define SPGC_STACKWALK_LEFT_FRAMES_H

#include <stdint.h>

/* The caller goes on with this stack pointer, without returning. */
void spgc_frames_left(uintptr_t stack_pointer);

#endif
