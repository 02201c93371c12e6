/* Return addresses that tell whether a frame was left: stubs, each with a word for the original
 * (docs/stackwalk.md, "Frames that were not resumed"). Invariant: while a live frame's return
 * address is a stub's, that frame was not left, and no older frame was resumed.
 *
 * Unwinders see a stub as a frame of size zero whose return address is the original
 * (return_barrier.S).
 *
 * A watermark (watermark.h) writes the original while its thread does not run. That thread reads it
 * when it returns to a stub, and so do walkers of its stack. */
#ifndef SPGC_STACKWALK_X86_64_RETURN_BARRIER_H
#define SPGC_STACKWALK_X86_64_RETURN_BARRIER_H

#define RETURN_BARRIERS 8192
#define RETURN_BARRIER_BYTES 8

#ifndef __ASSEMBLER__

#include <stdbool.h>

#include "stackwalk/address.h"

extern const unsigned char spgc_return_barrier_stubs[];
extern struct return_address spgc_return_barrier_originals[RETURN_BARRIERS];

static inline bool return_address_is_barrier(struct return_address address) {
  return address.word - (uintptr_t)spgc_return_barrier_stubs <
         (uintptr_t)RETURN_BARRIERS * RETURN_BARRIER_BYTES;
}

static inline unsigned return_barrier_of(struct return_address stub) {
  return (unsigned)((stub.word - (uintptr_t)spgc_return_barrier_stubs) / RETURN_BARRIER_BYTES);
}

static inline struct return_address return_barrier_stub(unsigned barrier) {
  return (struct return_address){(uintptr_t)spgc_return_barrier_stubs +
                                 (uintptr_t)barrier * RETURN_BARRIER_BYTES};
}

static inline struct return_address return_barrier_original(struct return_address stub) {
  return spgc_return_barrier_originals[return_barrier_of(stub)];
}

static inline void return_barrier_set_original(unsigned barrier, struct return_address original) {
  spgc_return_barrier_originals[barrier] = original;
}

#endif
#endif
