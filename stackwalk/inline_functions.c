/* For languages that cannot compile C. */
#define SPGC_EXPORTED_INLINE extern inline

#pragma GCC visibility push(default)
#include "spgc/ref.h"
#pragma GCC visibility pop
