/* Pins: objects whose address must not change, because unmanaged code uses it.
 *
 * A pinned object stays alive and in place until it has been unpinned as often as pinned, even with
 * move=always. Mutators use it like any other, with write barriers. Unmanaged code in
 * spgc_call_blocking may read and write its bytes, but neither its header nor its references.
 *
 * A pin keeps at most the object's 32 KiB block from being freed. The block's other objects move
 * out in the first collection, and their memory is used again. Objects of more than 8 KiB never
 * move, so pinning one costs only a table entry.
 *
 * By default, functions are for attached threads and are not safepoints. */
#ifndef SPGC_PIN_H
#define SPGC_PIN_H

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Pins `object` once more. Errors: SPGC_ERROR_INVALID_ARGUMENT if it is not in the heap;
 * SPGC_ERROR_NO_MEMORY. */
enum spgc_result spgc_pin(struct spgc_ref object, struct spgc_error *error);

/* Undoes one spgc_pin. Fatal if the object is not pinned. */
void spgc_unpin(struct spgc_ref object);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
