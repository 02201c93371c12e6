/* The specialisations of the tracing loop. */
#ifndef SPGC_HEAP_TRACE_MODE_H
#define SPGC_HEAP_TRACE_MODE_H

/* The mode is constant wherever it is passed, so one source becomes several loops. */
enum spgc_trace_mode {
  SPGC_TRACE_SERIAL,
  SPGC_TRACE_SCANNING, /* one worker, which also walks old blocks: each copy leaves them tiled */
  SPGC_TRACE_PARALLEL  /* several workers at the same time, which may also walk old blocks */
};

#endif
