/* The variables, with references in them, of the frames that a watermark leaves out.
 *
 * The slots of a frame that was not resumed hold what they held. Its variables may not: the frame
 * gave their addresses to what it called, which has run and stored references there. So a walk that
 * leaves frames out visits their variables nevertheless, from this list.
 *
 *   runs:  | known: of frames left out, the oldest first | met: of frames being walked, the
 * youngest first |
 *
 * Addresses fall along the known ones. Where they do not all fit, no new barrier is set, so that
 * the frames are met again.
 *
 * Who writes, and when: walks of the stack the watermark is for, while its thread does not run.
 */
#ifndef SPGC_STACKWALK_STACK_VARIABLES_H
#define SPGC_STACKWALK_STACK_VARIABLES_H

#include <stdbool.h>

#include "spgc/ref.h"
#include "stackwalk/address.h"

enum { STACK_VARIABLES = 256 };

struct variable_run {
  struct spgc_slot first;
  uint32_t words;
};

struct stack_variables {
  unsigned known, met; /* known + met <= STACK_VARIABLES */
  bool overflowed;     /* some that were met are not in the list */
  struct variable_run runs[STACK_VARIABLES];
};

/* Before a walk: none is met. */
void spgc_stack_variables_begin(struct stack_variables *variables);

void spgc_stack_variables_meet(struct stack_variables *variables, struct spgc_slot first,
                               uint32_t words);

/* How many of the known ones belong to frames older than the one that returns at `reached`. */
unsigned spgc_stack_variables_older(const struct stack_variables *variables,
                                    struct stack_address reached);

/* After a walk that met all frames younger than `kept` known ones: these and those met are the
 * known ones now. False when they did not fit: only the kept ones are. */
bool spgc_stack_variables_settle(struct stack_variables *variables, unsigned kept);

#endif
