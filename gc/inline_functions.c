/* Exports libspgc's inline functions, for languages that cannot compile C. Those of spgc/ref.h are
 * in stackwalk/inline_functions.c. */
#include "spgc/ref.h"

#undef SPGC_EXPORTED_INLINE
#define SPGC_EXPORTED_INLINE extern inline

#pragma GCC visibility push(default)
#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/value.h"
#include "spgc/weak.h"
#pragma GCC visibility pop
