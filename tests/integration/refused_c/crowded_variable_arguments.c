/* refused: variable arguments are in memory that the collector does not see */
#include "refused.h"

struct box {
  struct node SPGC_MANAGED *node;
};

void print_all(const char *format, ...);

/* No register is left for the structure, so clang passes it as an integer. */
void print(struct node SPGC_MANAGED *node) {
  struct box box = {node};
  print_all("", 1L, 2L, 3L, 4L, 5L, 6L, /* at: */
            box);
}
