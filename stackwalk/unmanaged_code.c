#include "stackwalk/unmanaged_code.h"

#include <stdatomic.h>
#include <stddef.h>

enum { LOGARITHM = 10, ENTRIES = 1 << LOGARITHM };

/* Direct-mapped; 0 is empty. */
static _Atomic uintptr_t known[ENTRIES];

static size_t place_of(struct return_address address) {
  return (size_t)((address.word * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - LOGARITHM));
}

bool spgc_unmanaged_code_is_known(struct return_address address) {
  return address.word != 0 && atomic_load_explicit(&known[place_of(address)], memory_order_relaxed) == address.word;
}

void spgc_unmanaged_code_remember(struct return_address address) {
  atomic_store_explicit(&known[place_of(address)], address.word, memory_order_relaxed);
}

void spgc_unmanaged_code_forget_all(void) {
  for (size_t i = 0; i < ENTRIES; i++)
    atomic_store_explicit(&known[i], 0, memory_order_relaxed);
}
