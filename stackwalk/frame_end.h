#ifndef SPGC_STACKWALK_FRAME_END_H
#define SPGC_STACKWALK_FRAME_END_H

/* The end of the frame of a caller, for walks that must reach all of it. `frame_address` is
 * __builtin_frame_address(0) of a direct or indirect caller that has not returned. If that may be
 * the frame's lowest word (return_place.h), gives the end of the frame: the function may end by a
 * tail call, and the callee's frame replaces it and need not be below that word. Otherwise gives
 * the address itself. Fatal, as a walk from there would be, if a frame in between has no unwind
 * information. Any thread. */
void *spgc_frame_end(void *frame_address);

#endif
