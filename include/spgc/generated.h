/* What generated code calls. Frontends do not call these from C: the lowering's prelude (codegen/prelude.ll) does.
 *
 * Fast path of an allocation: object = thread.cursor; end = object + bytes; if end <= thread.limit then thread.cursor =
 * end, zero the object, store header and length. Otherwise spgc_allocate_slow.
 */
#ifndef SPGC_GENERATED_H
#define SPGC_GENERATED_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A new zeroed object with header and, for a type with a tail, length stored. Never null: when memory is exhausted and
 * the out-of-memory hook returned, the process ends with a message. A safepoint. */
struct spgc_ref spgc_allocate_slow(const struct spgc_type *type, uint64_t length);

/* Called by a poll that found thread.poll non-zero. A safepoint. */
void spgc_poll_slow(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
