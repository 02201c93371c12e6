/* Mutators: attached threads, and the nursery blocks they allocate from.
 *
 * A mutator's area is one nursery block. spgc_thread.cursor is the truth about it; the block's `top` follows when the
 * area is published. spgc_thread.limit is a window's end: at most SPGC_LARGEST_SMALL beyond the cursor when it was set
 * and never beyond the area, so that generated code cannot make an object in the nursery that should be a large one.
 * Under stress it is 0.
 */
#ifndef SPGC_GC_MUTATOR_H
#define SPGC_GC_MUTATOR_H

#include <stdbool.h>

#include "gc/handles.h"
#include "spgc/thread.h"
#include "support/fatal.h"

struct spgc_heap;

/* Only written by its own thread, or with the world stopped. */
struct spgc_mutator {
  struct spgc_thread *thread;
  void *stack_base;     /* frame that every walk reaches; constant */
  uint32_t area;        /* nursery block, or SPGC_BLOCK_NONE; then cursor and limits are 0 */
  uintptr_t area_limit; /* its end */
  struct spgc_handle_stack handles;
};

/* The calling thread's, or NULL: attach and detach. */
extern _Thread_local struct spgc_mutator *spgc_mutator_current __attribute__((tls_model("initial-exec")));

/* The calling thread's. Fatal when it is not attached. */
static inline struct spgc_mutator *spgc_mutator_self(void) {
  struct spgc_mutator *self = spgc_mutator_current;
  spgc_require(self != NULL, "the calling thread is not attached to the heap");
  return self;
}

/* Lets allocation continue in nursery block `index`, after the area before was retired. */
void spgc_mutator_open_area(struct spgc_mutator *mutator, const struct spgc_heap *heap, uint32_t index);

/* Lets spgc_thread.limit follow the cursor. */
void spgc_mutator_open_window(struct spgc_mutator *mutator);

/* Makes the block's `top` tell what was allocated. */
void spgc_mutator_publish_area(struct spgc_mutator *mutator, struct spgc_heap *heap);

/* Bytes allocated in the area so far. */
size_t spgc_mutator_area_bytes(const struct spgc_mutator *mutator, const struct spgc_heap *heap);

/* Publishes the area and leaves the mutator without one. Returns the bytes allocated in it. */
size_t spgc_mutator_retire_area(struct spgc_mutator *mutator, struct spgc_heap *heap);

#endif
