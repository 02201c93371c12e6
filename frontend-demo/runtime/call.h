/* C that calls Lox. */
#ifndef LOX_RUNTIME_CALL_H
#define LOX_RUNTIME_CALL_H

#include "frontend-demo/runtime/abi.h"

enum { LOX_CALL_ARGUMENTS_MAX = 8 };

/* callee(arguments...), for any value, with at most LOX_CALL_ARGUMENTS_MAX arguments. Raises a
 * call's errors when the callee cannot be called so. `arguments` is not read any more once the
 * callee runs. An exception passes the caller, whose handle scopes are closed. A safepoint. */
struct spgc_ref lox_call(struct spgc_ref callee, const struct spgc_ref *arguments, uint64_t count);

#endif
