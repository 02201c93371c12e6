#ifndef SPGC_STACKWALK_FRAME_END_H
#define SPGC_STACKWALK_FRAME_END_H

/* The end of a caller's frame, for walks that must reach all of it. `frame_address` is
 * __builtin_frame_address(0) of a caller that has not returned. The result is that address, unless
 * it may be the frame's lowest word (return_place.h), above which a tail-called function may have
 * its frame. Fatal if a frame in between has no unwind information. Any thread. */
void *spgc_frame_end(void *frame_address);

#endif
