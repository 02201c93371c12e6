/* The machine may collect with mark_sweep.c: all references are on its stack or in objects, not in
 * C variables. The library's collector needs no such places. */
#ifndef TARN_COLLECT_H
#define TARN_COLLECT_H

#ifdef OWN_COLLECTOR
#include <stdint.h>

extern uint64_t heap_bytes, heap_limit;
void collect(void);

static inline void collect_if_due(void) {
  if (heap_bytes >= heap_limit)
    collect();
}
#else
#define collect_if_due() ((void)0)
#endif

#endif
