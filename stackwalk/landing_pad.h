/* Reads `.gcc_except_table` as GCC and LLVM write it for C++
 * (https://itanium-cxx-abi.github.io/cxx-abi/exceptions.pdf): a header, call sites in ascending
 * order, action records. Anything else is fatal. */
#ifndef SPGC_STACKWALK_LANDING_PAD_H
#define SPGC_STACKWALK_LANDING_PAD_H

#include <stdbool.h>
#include <stdint.h>

struct landing_pad {
  uintptr_t address; /* 0: none */
  bool catches;      /* some clause is not a cleanup */
};

/* `instruction` is an address inside the call. */
struct landing_pad spgc_find_landing_pad(const uint8_t *table, uintptr_t function,
                                         uintptr_t instruction);

#endif
