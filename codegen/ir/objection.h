#ifndef SPGC_CODEGEN_IR_OBJECTION_H
#define SPGC_CODEGEN_IR_OBJECTION_H

struct objection {
  unsigned rule;       /* row of docs/frontend-rules.md: 1 for R1 */
  const char *problem; /* "the collector does not see references in stack memory" */
  const char *remedy;  /* an imperative */
};

#endif
