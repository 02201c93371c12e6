/* Pins: objects whose address must not change, because unmanaged code has it.
 *
 * A pinned object is alive and stays where it is until it was unpinned as often as it was pinned;
 * everything else moves as ever, also with move=always. It may refer to other objects and be
 * written to, with the barrier; unmanaged code in spgc_call_blocking may read and write its bytes,
 * but neither its header nor its references.
 *
 * Cost: a pinned object keeps its 32 KiB block from being freed, so pins hold at most 32 KiB each,
 * all within the heap limit. What lived around it moves away in the first collection, and its room
 * is used for other objects. Objects of more than 8 KiB never move: pinning them costs a table
 * entry.
 */
#ifndef SPGC_PIN_H
#define SPGC_PIN_H

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Pins `object` once more. Errors: SPGC_ERROR_INVALID_ARGUMENT when it is not in the heap;
 * SPGC_ERROR_NO_MEMORY. Not a safepoint. Attached threads only. */
enum spgc_result spgc_pin(struct spgc_ref object, struct spgc_error *error);

/* Takes back one spgc_pin. Fatal when the object is not pinned. Not a safepoint. Attached threads
 * only. */
void spgc_unpin(struct spgc_ref object);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
