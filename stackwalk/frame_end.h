/* The end of a frame further out, for walks that have to reach all of it. */
#ifndef SPGC_STACKWALK_FRAME_END_H
#define SPGC_STACKWALK_FRAME_END_H

/* `frame_address` is __builtin_frame_address(0) of a function that called this one, directly or
 * not, and has not returned. If a frame's address may be its lowest word (return_place.h), gives
 * the end of that frame: its function may end by a jump to another one (a tail call), whose frame
 * takes the same place and need not lie below that word. Otherwise gives the address itself. Fatal,
 * as a walk from there would be, where a frame in between has no unwind information. Any thread. */
void *spgc_frame_end(void *frame_address);

#endif
