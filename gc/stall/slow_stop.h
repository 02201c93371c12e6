/* A long stop is logged afterwards, with its last thread's code; one that seems endless at once,
 * with what the awaited thread does. */
#ifndef SPGC_GC_STALL_SLOW_STOP_H
#define SPGC_GC_STALL_SLOW_STOP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "gc/naming/code_name.h"
#include "spgc/stackwalk.h"

struct spgc_slow_stop {
  uint64_t ns;
  bool is_managed;
  struct spgc_code_place place; /* of its innermost managed frame */
};

/* `last` is the last thread's frame, NULL if none was waited for. The world is stopped. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, uint64_t ns,
                         const struct spgc_suspended_stack *last);

void spgc_slow_stop_log(const struct spgc_slow_stop *stop);

uint64_t spgc_endless_stop_ns(void);

/* The awaited thread's number, the system's, and a frame that each walk of its stack reaches. It
 * cannot detach. The caller holds no lock. */
void spgc_endless_stop_tell(uint64_t number, pid_t thread, void *stack_base, uint64_t waited_ns);

#endif
