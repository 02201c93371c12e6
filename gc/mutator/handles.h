#ifndef SPGC_GC_MUTATOR_HANDLES_H
#define SPGC_GC_MUTATOR_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/handle.h"

/* Visits one root. `what` names its kind in messages. */
typedef void (*spgc_root_visitor)(void *context, struct spgc_slot slot, const char *what);

enum { SPGC_HANDLE_CHUNK = 1024 };

/* The scoped handles of a stack, in chunks that never move. Slot i is in use iff i < height.
 * Written by the stack's thread. */
struct spgc_handle_stack {
  struct spgc_ref **chunks;
  size_t chunk_count;
  size_t height;
  size_t hook_height; /* height when the out-of-memory hook (or its first listener) began to run, or
                         0. A lower height shows that it was left */
};

void spgc_handle_stack_visit(const struct spgc_handle_stack *stack, spgc_root_visitor visit,
                             void *context);
void spgc_handle_stack_free(struct spgc_handle_stack *stack);

void spgc_global_handles_visit(spgc_root_visitor visit, void *context);

bool spgc_global_handles_exist(void);

/* If none is in use. */
void spgc_global_handles_trim(void);

#endif
