/* The call-site table of a function's language-specific data: which of its calls have a landing
 * pad.
 *
 * The format is that of `.gcc_except_table`, as GCC's and LLVM's C++ use it (Itanium C++ ABI:
 * Exception Handling, https://itanium-cxx-abi.github.io/cxx-abi/exceptions.pdf): a header, call
 * sites in ascending order, action records. It was written by the compiler together with the code;
 * what no compiler writes there is fatal. */
#ifndef SPGC_STACKWALK_CALL_SITES_H
#define SPGC_STACKWALK_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

struct landing_pad {
  uintptr_t address; /* 0: the call has none */
  bool catches;      /* some clause is not a cleanup */
};

/* The pad of the call at `instruction`, an address inside it, of the function that starts at
 * `function`. */
struct landing_pad spgc_find_landing_pad(const uint8_t *table, uintptr_t function,
                                         uintptr_t instruction);

#endif
