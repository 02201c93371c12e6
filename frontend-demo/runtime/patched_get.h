/* Reads of properties as calls that are redirected while the program runs: struct lox_patched_get.
 *
 * A site's call goes, one after the other, to
 *   lox_get_patched     until an object has the property in one of the first slots, and
 *                       whenever the code for one slot meets an object of another shape;
 *   code for one slot   while objects have the expected shape;
 *   lox_get_miss        for good, after too many misses.
 *
 * Only the thread that runs Lox redirects, so `shape` and the callee of all copies of the call
 * change together. There is one loaded unit: its sites are numbered from 0.
 */
#ifndef LOX_RUNTIME_PATCHED_GET_H
#define LOX_RUNTIME_PATCHED_GET_H

#include <stdint.h>
#include <stdio.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/result.h"

/* The loader's function that makes the sled that ends at the return address call `target`. It fails
 * only for a sled that it has not redirected before. */
struct lox_patcher {
  void *context;
  enum spgc_result (*redirect)(void *context, uintptr_t return_address, void *target,
                               struct spgc_error *error);
};

/* Makes the sites of a loaded unit call the runtime. It must be called before any of the unit's
 * code runs, because until then these calls are nops. Returns the errors of `redirect`, and
 * SPGC_ERROR_NO_MEMORY. */
enum spgc_result lox_patched_gets_start(const struct lox_unit *unit,
                                        const struct lox_patcher *patcher,
                                        struct spgc_error *error);

/* The call site that a statepoint has in stack traces. */
uint64_t lox_patched_get_call_site(uint64_t statepoint_id);

/* Prints one line, if there are sites: "caches: 12 call sites patched, redirected 34 times, 5 to
 * the general lookup" */
void lox_patched_gets_print(FILE *file);

/* Must be called when no Lox code runs any more. */
void lox_patched_gets_stop(void);

#endif
