/* Trace modes: the specialisations of the tracing loop. */
#ifndef SPGC_HEAP_TRACE_MODE_H
#define SPGC_HEAP_TRACE_MODE_H

/* The mode is a constant wherever it is passed, so that one source becomes several loops. */
enum spgc_trace_mode {
  SPGC_TRACE_SERIAL,   /* one worker */
  SPGC_TRACE_SCANNING, /* one worker, which also walks old blocks: each copy leaves them tiled */
  SPGC_TRACE_PARALLEL  /* other workers trace at the same time. Each may also walk old blocks */
};

#endif
