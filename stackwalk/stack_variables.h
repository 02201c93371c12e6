/* The variables of frames that walks omit, because of a watermark or a fiber that has not run.
 * Other frames may have stored references into them, so walks still visit them, from this list
 * (docs/stackwalk.md, "Frames that were not resumed").
 *
 *   runs:  | known: of frames left out, oldest first | met: of frames now walked, youngest first |
 *
 * Addresses descend along the known runs. If not all runs fit, the next walk meets the frames
 * again: no new barrier is set, and the fiber counts as resumed.
 *
 * Written by walks of the stack, while its thread does not run. */
#ifndef SPGC_STACKWALK_STACK_VARIABLES_H
#define SPGC_STACKWALK_STACK_VARIABLES_H

#include <stdbool.h>

#include "spgc/ref.h"
#include "stackwalk/address.h"

struct variable_run {
  struct spgc_slot first;
  uint32_t words;
};

struct stack_variables {
  unsigned capacity;
  struct variable_run *runs; /* constant: of the owner */
  unsigned known, met;       /* known + met <= capacity */
  bool overflowed;           /* the last walk met runs that did not fit */
};

void spgc_stack_variables_begin(struct stack_variables *variables);

void spgc_stack_variables_meet(struct stack_variables *variables, struct spgc_slot first,
                               uint32_t words);

/* Runs of frames older than the one that returns at `reached`. */
unsigned spgc_stack_variables_older(const struct stack_variables *variables,
                                    struct stack_address reached);

/* After a walk that met all frames younger than `kept` known runs: these and the met runs become
 * the known ones. False if they do not fit; then only the kept ones are. */
bool spgc_stack_variables_settle(struct stack_variables *variables, unsigned kept);

/* Copies the known runs; none if they do not fit or `from` overflowed. */
void spgc_stack_variables_copy(struct stack_variables *to, const struct stack_variables *from);

#endif
