/* Native functions: C functions that Lox calls like any other value.
 *
 * Each takes the callee and its arguments, and returns a value or raises a runtime error. They are
 * objects outside the heap, one per name, so looking one up allocates nothing.
 */
#ifndef LOX_RUNTIME_NATIVE_H
#define LOX_RUNTIME_NATIVE_H

#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

struct lox_native {
  struct lox_type type;
  const char *name;
};

/* The native function of that name, or nothing. */
struct spgc_ref lox_native_value(const char *text, uint64_t length);

/* Lists and strings. */
struct spgc_ref lox_native_len(struct spgc_ref callee, struct spgc_ref value);
struct spgc_ref lox_native_push(struct spgc_ref callee, struct spgc_ref list,
                                struct spgc_ref value);
struct spgc_ref lox_native_pop(struct spgc_ref callee, struct spgc_ref list);
struct spgc_ref lox_native_substring(struct spgc_ref callee, struct spgc_ref string,
                                     struct spgc_ref start, struct spgc_ref end);
struct spgc_ref lox_native_char_at(struct spgc_ref callee, struct spgc_ref string,
                                   struct spgc_ref index);
struct spgc_ref lox_native_to_string(struct spgc_ref callee, struct spgc_ref value);
struct spgc_ref lox_native_to_number(struct spgc_ref callee, struct spgc_ref string);

/* Files, arguments and time. */
struct spgc_ref lox_native_read_file(struct spgc_ref callee, struct spgc_ref path);
struct spgc_ref lox_native_read_line(struct spgc_ref callee);
struct spgc_ref lox_native_args(struct spgc_ref callee);
struct spgc_ref lox_native_apply(struct spgc_ref self, struct spgc_ref callee,
                                 struct spgc_ref list);
struct spgc_ref lox_native_clock(struct spgc_ref callee);
struct spgc_ref lox_native_gc(struct spgc_ref callee);
struct spgc_ref lox_native_heap_snapshot(struct spgc_ref callee, struct spgc_ref path);

/* Weak maps, weak references, calls on death, identity: see native_weak.c. */
struct spgc_ref lox_native_weak_map(struct spgc_ref callee);
struct spgc_ref lox_native_weak_map_set(struct spgc_ref callee, struct spgc_ref map,
                                        struct spgc_ref key, struct spgc_ref value);
struct spgc_ref lox_native_weak_map_get(struct spgc_ref callee, struct spgc_ref map,
                                        struct spgc_ref key);
struct spgc_ref lox_native_weak_map_has(struct spgc_ref callee, struct spgc_ref map,
                                        struct spgc_ref key);
struct spgc_ref lox_native_weak_map_remove(struct spgc_ref callee, struct spgc_ref map,
                                           struct spgc_ref key);
struct spgc_ref lox_native_weak_map_size(struct spgc_ref callee, struct spgc_ref map);
struct spgc_ref lox_native_weak_ref(struct spgc_ref callee, struct spgc_ref referent);
struct spgc_ref lox_native_deref(struct spgc_ref callee, struct spgc_ref reference);
struct spgc_ref lox_native_on_collect(struct spgc_ref callee, struct spgc_ref object,
                                      struct spgc_ref function, struct spgc_ref value);
struct spgc_ref lox_native_identity_hash(struct spgc_ref callee, struct spgc_ref object);

#endif
