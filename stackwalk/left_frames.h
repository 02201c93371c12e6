/* Tells AddressSanitizer that frames were left. A function poisons the gaps between its variables
 * until it returns; if it is left otherwise, the next user of that memory would be reported. */
#ifndef SPGC_STACKWALK_LEFT_FRAMES_H
#define SPGC_STACKWALK_LEFT_FRAMES_H

#include <stdint.h>

/* The caller is about to continue with this stack pointer. */
void spgc_frames_left(uintptr_t stack_pointer);

#endif
