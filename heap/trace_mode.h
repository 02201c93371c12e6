/* What else goes on while a worker of a collection works, and what it is helped by. */
#ifndef SPGC_HEAP_TRACE_MODE_H
#define SPGC_HEAP_TRACE_MODE_H

#include <stdbool.h>
#include <stdint.h>

/* Whether other workers do the same at the same time, or the one there is also reads old blocks: then these are tiled
 * after each copy; or whether it may come to nothing (gc/trace/speculation.h). A constant wherever it is passed: one source,
 * several loops. */
enum spgc_company { SPGC_ALONE, SPGC_SHARED, SPGC_READING, SPGC_ATTEMPTING };

struct spgc_crew;

/* What may help a collection. */
struct spgc_help {
  struct spgc_crew *crew;
  uint32_t helpers; /* at most; 0: none */
  bool at_once;     /* even with little to do */
};

#endif
