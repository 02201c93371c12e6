/* The reason why the lowering refuses something. */
#ifndef SPGC_CODEGEN_IR_OBJECTION_H
#define SPGC_CODEGEN_IR_OBJECTION_H

#include <stddef.h>

#include "spgc/result.h"

struct objection {
  unsigned rule;       /* its row in docs/frontend-rules.md: 1 for R1 */
  const char *problem; /* the loss, e.g. "the collector does not see references in stack memory" */
  const char *remedy;  /* an imperative */
};

/* Adds to an error, which may be NULL, which rule the module breaks. */
static inline enum spgc_result spgc_error_of_rule(struct spgc_error *error, unsigned rule) {
  if (error != NULL)
    error->rule = rule;
  return SPGC_ERROR_REJECTED;
}

#endif
