#include "stackwalk/stack_variables.h"

void spgc_stack_variables_begin(struct stack_variables *variables) {
  variables->met = 0;
  variables->overflowed = false;
}

void spgc_stack_variables_meet(struct stack_variables *variables, struct spgc_slot first,
                               uint32_t words) {
  unsigned count = variables->known + variables->met;
  if (count == variables->capacity) {
    variables->overflowed = true;
    return;
  }
  variables->runs[count] = (struct variable_run){first, words};
  variables->met++;
}

unsigned spgc_stack_variables_older(const struct stack_variables *variables,
                                    struct stack_address reached) {
  unsigned count = variables->known;
  while (count != 0 && (uintptr_t)variables->runs[count - 1].first.location <= reached.word)
    count--;
  return count;
}

static void reverse(struct variable_run *first, struct variable_run *end) {
  while (first + 1 < end) {
    struct variable_run young = *first;
    *first++ = *--end;
    *end = young;
  }
}

bool spgc_stack_variables_settle(struct stack_variables *variables, unsigned kept) {
  struct variable_run *met = variables->runs + variables->known, *to = variables->runs + kept;
  unsigned count = variables->overflowed ? 0 : variables->met;
  for (unsigned i = 0; i < count; i++)
    to[i] = met[i];
  reverse(to, to + count);
  variables->known = kept + count;
  variables->met = 0;
  return !variables->overflowed;
}

void spgc_stack_variables_copy(struct stack_variables *to, const struct stack_variables *from) {
  to->met = 0;
  to->overflowed = from->overflowed || from->known > to->capacity;
  to->known = to->overflowed ? 0 : from->known;
  for (unsigned i = 0; i < to->known; i++)
    to->runs[i] = from->runs[i];
}
