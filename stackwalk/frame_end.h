#ifndef SPGC_STACKWALK_FRAME_END_H
#define SPGC_STACKWALK_FRAME_END_H

/* The end of a caller's frame, for walks that must reach all of it. `frame_address` is
 * __builtin_frame_address(0) of a caller that has not returned. If that may be the frame's lowest
 * word (return_place.h), gives the frame's end, because the function may end by a tail call to one
 * whose frame is not below that word; otherwise the address itself. Fatal, as a walk would be, if a
 * frame in between has no unwind information. Any thread. */
void *spgc_frame_end(void *frame_address);

#endif
