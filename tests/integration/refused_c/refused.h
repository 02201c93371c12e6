/* Programs that the lowering refuses. Their first line says why; a comment marks the line, and
 * quotes the variable, that the message names. */
#include "spgc/managed.h"

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *next;
  long number;
};

extern const struct spgc_type node_type;
