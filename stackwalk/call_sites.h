/* The call-site table in a function's language-specific data names the landing pad of each call.
 *
 * The format is that of `.gcc_except_table`, as C++ of GCC and LLVM uses it (Itanium C++ ABI:
 * Exception Handling, https://itanium-cxx-abi.github.io/cxx-abi/exceptions.pdf): a header, call
 * sites in ascending order, action records. The compiler wrote it together with the code, so
 * anything that compilers do not write is fatal. */
#ifndef SPGC_STACKWALK_CALL_SITES_H
#define SPGC_STACKWALK_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

struct landing_pad {
  uintptr_t address; /* 0: there is none */
  bool catches;      /* some clause is not a cleanup */
};

/* The landing pad of the call at `instruction`, an address inside the call, in `function`. */
struct landing_pad spgc_find_landing_pad(const uint8_t *table, uintptr_t function,
                                         uintptr_t instruction);

#endif
