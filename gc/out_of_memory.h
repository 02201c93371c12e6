/* What happens when a request cannot be met. */
#ifndef SPGC_GC_OUT_OF_MEMORY_H
#define SPGC_GC_OUT_OF_MEMORY_H

#include <stddef.h>

/* Opens the reserve and calls the hook, which may not return. When memory runs out again inside the hook, the hook is
 * not called again. A hook that left by longjmp is known by the stack having been unwound beyond it, or by a full
 * collection that finds room without the reserve. */
void spgc_out_of_memory_report(size_t requested_bytes);

/* Forgets a hook that left by longjmp: the heap is stopped. */
void spgc_out_of_memory_reset(void);

#endif
