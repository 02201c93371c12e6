/* What else goes on while a worker of a collection works. */
#ifndef SPGC_HEAP_TRACE_MODE_H
#define SPGC_HEAP_TRACE_MODE_H

/* Whether other workers do the same at the same time, or the one there is also reads old blocks:
 * then these are tiled after each copy; or whether it may come to nothing (gc/trace/speculation.h).
 * A constant wherever it is passed: one source, several loops. */
enum spgc_trace_mode {
  SPGC_TRACE_SERIAL,
  SPGC_TRACE_PARALLEL,
  SPGC_TRACE_SCANNING,
  SPGC_TRACE_SPECULATIVE
};

#endif
