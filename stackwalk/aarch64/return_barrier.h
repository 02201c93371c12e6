/* Like x86_64/return_barrier.h, but a stub changes x17, in which no caller keeps a value. */
#ifndef SPGC_STACKWALK_AARCH64_RETURN_BARRIER_H
#define SPGC_STACKWALK_AARCH64_RETURN_BARRIER_H

#define RETURN_BARRIERS 8192
#define RETURN_BARRIER_BYTES 16

#ifndef __ASSEMBLER__

#include <stdbool.h>

#include "stackwalk/address.h"

extern const unsigned char spgc_return_barrier_stubs[];
/* As far apart as the stubs, so that unwind information finds one from the other. */
struct return_barrier_original {
  struct return_address address;
  uintptr_t unused;
};

_Static_assert(sizeof(struct return_barrier_original) == RETURN_BARRIER_BYTES, "as far apart");

extern struct return_barrier_original spgc_return_barrier_originals[RETURN_BARRIERS];

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
  return spgc_return_barrier_originals[return_barrier_of(stub)].address;
}

static inline void return_barrier_set_original(unsigned barrier, struct return_address original) {
  spgc_return_barrier_originals[barrier].address = original;
}

#endif
#endif
