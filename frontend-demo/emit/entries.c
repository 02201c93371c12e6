#include "frontend-demo/emit/entries.h"

static const struct lox_entry_row entries[] = {
#define LOX_ENTRY_ROW(enumerator, symbol, signature, calls) {#symbol, signature, calls},
    LOX_LIBRARY_ENTRY_POINTS(LOX_ENTRY_ROW) LOX_ENTRY_POINTS(LOX_ENTRY_ROW)
#undef LOX_ENTRY_ROW
/* Result, callee, arguments. */
#define LOX_NATIVE_ROW(enumerator, name, arity, result)                                            \
  {"lox_native_" #name, &"vvvvv"[LOX_NATIVE_ARITY_MAX - (arity)], LOX_CALLS_SAFEPOINT},
        LOX_NATIVES(LOX_NATIVE_ROW)
#undef LOX_NATIVE_ROW
};

static uint64_t call_site(uint64_t function, int line) {
  return line == LOX_NO_LINE ? LOX_HIDDEN_CALL_SITE : lox_call_site_id(function, (uint64_t)line);
}

const struct lox_language lox_language = {.entries = entries,
                                          .poll = LOX_ENTRY_POLL,
                                          .catch = LOX_ENTRY_CATCH,
                                          .throw_again = LOX_ENTRY_THROW_AGAIN,
                                          .call_site = call_site};
