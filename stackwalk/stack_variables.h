/* The variables, with references in them, of the frames that a watermark lets walks leave out.
 *
 * The slots of a frame that was not resumed hold what they held before. Its variables may not,
 * because the frame gave their addresses to functions it called, which have run and stored
 * references there. So a walk that leaves frames out still visits their variables, from this list.
 *
 *   runs:  | known: of frames left out, the oldest first | met: of frames now walked, youngest
 * first |
 *
 * Addresses descend along the known runs. If the runs do not all fit, no new barrier is set, so
 * that the next walk meets the frames again.
 *
 * Writers: walks of the watermark's stack, while its thread does not run.
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
  bool overflowed;     /* some runs that were met are not in the list */
  struct variable_run runs[STACK_VARIABLES];
};

/* Starts a walk: no run is met yet. */
void spgc_stack_variables_begin(struct stack_variables *variables);

void spgc_stack_variables_meet(struct stack_variables *variables, struct spgc_slot first,
                               uint32_t words);

/* The number of known runs that belong to frames older than the one that returns at `reached`. */
unsigned spgc_stack_variables_older(const struct stack_variables *variables,
                                    struct stack_address reached);

/* Ends a walk that met all frames younger than `kept` known runs: the known runs are now these and
 * those met. False when they did not fit: then only the kept ones are known. */
bool spgc_stack_variables_settle(struct stack_variables *variables, unsigned kept);

#endif
