#ifndef LOX_EMIT_ENTRIES_H
#define LOX_EMIT_ENTRIES_H

#include "frontend-demo/backend/abi.h"
#include "frontend-demo/runtime/abi.h"

/* A table as LOX_ENTRY_POINTS. */
#define LOX_LIBRARY_ENTRY_POINTS(X)                                                                \
  X(ALLOCATE, spgc_allocate, "vp", LOX_CALLS_SAFEPOINT)                                            \
  X(STACK_LOW, spgc_stack_low, "b", LOX_CALLS_LEAF)                                                \
  X(POLL, spgc_poll, "-", LOX_CALLS_SAFEPOINT)

enum lox_entry {
#define LOX_ENTRY_ENUMERATOR(enumerator, symbol, signature, calls) LOX_ENTRY_##enumerator,
  LOX_LIBRARY_ENTRY_POINTS(LOX_ENTRY_ENUMERATOR) LOX_ENTRY_POINTS(LOX_ENTRY_ENUMERATOR)
#undef LOX_ENTRY_ENUMERATOR
#define LOX_ENTRY_NATIVE_ENUMERATOR(enumerator, name, arity, result) LOX_ENTRY_NATIVE_##enumerator,
      LOX_NATIVES(LOX_ENTRY_NATIVE_ENUMERATOR)
#undef LOX_ENTRY_NATIVE_ENUMERATOR
          LOX_ENTRY_COUNT,
  LOX_ENTRY_FIRST_NATIVE = LOX_ENTRY_COUNT - LOX_NATIVE_COUNT,
};

extern const struct lox_language lox_language;

#endif
