/* The variables, with references in them, of frames that walks leave out: those that a watermark
 * lets them leave out, and those of a fiber that has not run.
 *
 * Invariant: the slots of a frame that was not resumed hold what they held before. Its variables
 * may not, because the frame gave their addresses away, to functions that it called or to other
 * fibers and threads, which have run and stored references there. So a walk that leaves frames out
 * still visits their variables, from such a list.
 *
 *   runs:  | known: of frames left out, the oldest first | met: of frames now walked, youngest
 * first |
 *
 * Addresses descend along the known runs. If the runs do not all fit, the next walk meets the
 * frames again: no new barrier is set, and the fiber counts as resumed.
 *
 * Writers: walks of the stack, while its thread does not run. */
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
  unsigned capacity;         /* constant */
  struct variable_run *runs; /* constant: `capacity` runs, which the owner has */
  unsigned known, met;       /* known + met <= capacity */
  bool overflowed;           /* the last walk met runs that did not fit */
};

void spgc_stack_variables_begin(struct stack_variables *variables);

void spgc_stack_variables_meet(struct stack_variables *variables, struct spgc_slot first,
                               uint32_t words);

/* The number of known runs of frames older than the one that returns at `reached`. */
unsigned spgc_stack_variables_older(const struct stack_variables *variables,
                                    struct stack_address reached);

/* A walk has met all frames younger than `kept` known runs: these and the runs met are now the
 * known ones. If they do not fit, returns false, and only the kept ones are known. */
bool spgc_stack_variables_settle(struct stack_variables *variables, unsigned kept);

/* The known runs of `to` become those of `from`; none if they do not fit or `from` overflowed. */
void spgc_stack_variables_copy(struct stack_variables *to, const struct stack_variables *from);

#endif
