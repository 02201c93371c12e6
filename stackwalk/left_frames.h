/* Tells AddressSanitizer that frames were left: the gaps between their variables are poisoned, and
 * the next user of that memory would be reported. */
#ifndef SPGC_STACKWALK_LEFT_FRAMES_H
#define SPGC_STACKWALK_LEFT_FRAMES_H

#include <stdint.h>

/* The caller is about to continue with this stack pointer. */
void spgc_frames_left(uintptr_t stack_pointer);

#endif
