/* Memory of a command. Each function ends the program with a message when there is none, because a
 * snapshot that does not fit cannot be examined in part. */
#ifndef SPGC_TOOLS_HEAP_MEMORY_H
#define SPGC_TOOLS_HEAP_MEMORY_H

#include <stddef.h>

#include "support/hash_index.h"

/* Memory of zeros for `count` elements; also for none. The caller frees it. */
void *memory_zeroed(size_t count, size_t size);

/* Memory for `count` elements, not initialised. */
void *memory_array(size_t count, size_t size);

/* The same elements in memory for `count` of them; `old` may be NULL. */
void *memory_resized(void *old, size_t count, size_t size);

/* Such memory for an index. */
extern const struct spgc_hash_memory memory_of_index;

/* A capacity of more than `count` elements, to which an array should grow. */
static inline size_t memory_growth(size_t count) {
  return count < 64 ? 128 : count + count / 2;
}

/* Says that there is no memory for `bytes`, and ends the program. */
_Noreturn void memory_exhausted(size_t bytes);

#endif
