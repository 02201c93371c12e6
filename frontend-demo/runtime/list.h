/* Lists: a count, and a store that is at least as long. The store doubles when it is full, and
 * halves when three quarters of it are unused, so a push or a pop costs constant time on
 * average. */
#ifndef LOX_RUNTIME_LIST_H
#define LOX_RUNTIME_LIST_H

#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

/* A safepoint. */
void lox_list_push(struct spgc_ref list, struct spgc_ref value);

/* The list must not be empty. A safepoint. */
struct spgc_ref lox_list_pop(struct spgc_ref list);

#endif
