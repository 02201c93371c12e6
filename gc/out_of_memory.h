/* What happens when a request cannot be met. */
#ifndef SPGC_GC_OUT_OF_MEMORY_H
#define SPGC_GC_OUT_OF_MEMORY_H

#include <stddef.h>

struct spgc_handle_stack;

/* Opens the reserve and calls the hook, which may not return. When memory runs out again inside the hook, the hook is
 * not called again. */
void spgc_out_of_memory_report(size_t requested_bytes);

/* The calling thread closed the scope in which the hook was called, as it must after the hook left by longjmp; or it is
 * detached. The reserve is closed. */
void spgc_out_of_memory_hook_left(struct spgc_handle_stack *stack);

#endif
