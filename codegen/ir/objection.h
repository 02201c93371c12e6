#ifndef SPGC_CODEGEN_IR_OBJECTION_H
#define SPGC_CODEGEN_IR_OBJECTION_H

struct objection {
  unsigned rule; /* row of docs/frontend-rules.md: 1 for R1 */
  const char *problem;
  const char *remedy; /* an imperative */
};

#endif
