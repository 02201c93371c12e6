#ifndef SPGC_TESTS_BARRIERS_H
#define SPGC_TESTS_BARRIERS_H

#include <stdint.h>

#include "spgc/ref.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t managed_function(struct spgc_ref object, uint64_t depth);

uint64_t act(uint64_t depth);
uint64_t call_managed(managed_function *function, struct spgc_ref object, uint64_t depth);

/* Calls it until it returns; rethrows exceptions for outer frames. */
uint64_t call_catching(managed_function *function, struct spgc_ref object, uint64_t depth);

/* To the innermost call_catching of at most this depth. */
void throw_depth(uint64_t depth);

void note_caught(void);

#ifdef __cplusplus
}
#endif

#endif
