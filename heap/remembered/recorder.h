#ifndef SPGC_HEAP_REMEMBERED_RECORDER_H
#define SPGC_HEAP_REMEMBERED_RECORDER_H

#include <stdint.h>

#include "spgc/ref.h"

enum { SPGC_RECORDED_SLOTS = 511 }; /* per chunk, which makes it a page of 4 KiB */

struct spgc_recorded_chunk {
  uint64_t count;
  struct spgc_slot slots[SPGC_RECORDED_SLOTS];
};

/* The heap's. Written by the thread that holds the cycle, except `taken`. */
struct spgc_recorded {
  struct spgc_recorded_chunk *chunks; /* mapped on first use; or NULL */
  uint32_t capacity;                  /* in chunks; constant */
  uint32_t
      taken; /* by recorders, which add to it atomically; more than `capacity`: some got none */
};

/* One scanner's, which writes it. The thread that holds the cycle clears it. */
struct spgc_recorder {
  struct spgc_recorded_chunk *chunk; /* the current chunk, or NULL */
};

#endif
