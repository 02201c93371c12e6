/* Steps with libunwind: the reference, and the fallback for rules that call_frame.h does not
 * understand. libunwind gets an address space of ours (docs/stackwalk.md, "Stepping out of a
 * frame"), and keeps the unwinder's address, so it must not move. */
#ifndef SPGC_STACKWALK_UNWINDER_H
#define SPGC_STACKWALK_UNWINDER_H

#include <libunwind.h>
#include <stdbool.h>

#include "stackwalk/loaded_code.h"
#include "stackwalk/suspended_frame.h"

struct unwinder {
  struct stack_address lowest, limit; /* the walked stack; set before the start */
  bool places_ascend; /* false with stacklets: frames further in have lower addresses; set before
                         the start */
  unw_cursor_t cursor;
  bool starts_at_signal;                    /* known by its instructions */
  struct suspended_frame start;             /* the cursor's first frame */
  uintptr_t registers[PRESERVED_REGISTERS]; /* their values in that frame, indexed by enum origin */
  struct loaded_object recent;              /* read last */
};

/* Makes libunwind open its descriptors now. Any thread. */
void spgc_unwinder_prepare(void);

void spgc_unwinder_start(struct unwinder *unwinder, const struct suspended_frame *frame);

/* False, without a change, if libunwind knows no caller. */
bool spgc_unwinder_step(struct unwinder *unwinder, struct suspended_frame *frame);

/* The caller was interrupted. */
bool spgc_unwinder_is_at_signal(struct unwinder *unwinder);

struct unwinder_function {
  struct function_address start;
  uintptr_t personality; /* 0: exceptions do not end in its frames */
  const uint8_t *language_data;
};

/* False without unwind information, where libunwind would guess, maybe past managed frames. */
bool spgc_unwinder_function(struct unwinder *unwinder, struct unwinder_function *found);

#endif
