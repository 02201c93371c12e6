/* refused: references in thread-local variables are not roots */
#include "refused.h"

_Thread_local struct node SPGC_MANAGED *current; /* at: 'current' */

long number(void) {
  return current->number;
}
