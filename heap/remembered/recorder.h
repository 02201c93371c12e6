/* The data of recorded slots: see heap/remembered/recorded.h. */
#ifndef SPGC_HEAP_REMEMBERED_RECORDER_H
#define SPGC_HEAP_REMEMBERED_RECORDER_H

#include <stdint.h>

#include "spgc/ref.h"

enum { SPGC_RECORDED_SLOTS = 511 }; /* of a chunk, which is a page of 4 KiB then */

struct spgc_recorded_chunk {
  uint64_t count;
  struct spgc_slot slots[SPGC_RECORDED_SLOTS];
};

/* Of the heap. Written by the thread that holds the cycle, except `taken`. */
struct spgc_recorded {
  struct spgc_recorded_chunk *chunks; /* mapped when first needed; or NULL */
  uint32_t capacity;                  /* chunks; constant */
  uint32_t
      taken; /* by recorders, which add to it atomically; more than `capacity`: some got none */
};

/* Of one scanner, which writes it. The thread that holds the cycle clears it. */
struct spgc_recorder {
  struct spgc_recorded_chunk *chunk; /* that it adds to, or NULL */
};

#endif
