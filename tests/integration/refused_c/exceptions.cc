/* refused: compile C++ with -fno-exceptions */
extern "C" {
#include "refused.h"
}

struct guard {
  ~guard();
};
void step(struct node SPGC_MANAGED *node);

long visit(struct node SPGC_MANAGED *node) {
  guard guard;
  step(node);
  return node->number;
} /* at: */
