/* Tells the address sanitizer, in programs built with one, that frames were left.
 *
 * An instrumented function poisons the gaps between its variables when it is called, and unpoisons
 * them when it returns. A frame that is left in another way keeps its gaps poisoned, and the
 * sanitizer reports the code that uses the same memory next.
 */
#ifndef SPGC_STACKWALK_LEFT_FRAMES_H
#define SPGC_STACKWALK_LEFT_FRAMES_H

#include <stdint.h>

/* The caller is about to continue with this stack pointer without returning. */
void spgc_frames_left(uintptr_t stack_pointer);

#endif
