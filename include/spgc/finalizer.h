/* Finalizers: what the language does after an object became unreachable.
 *
 * The collector runs nothing. An object registered here that a collection finds unreachable is
 * *queued*: it and all it refers to stay alive, as a root of the queue, until the language takes it
 * with spgc_finalizer_next, at a time of its choice. What it does with the object then is its own
 * affair: the object is an ordinary one again, may be stored anywhere (resurrected), and dies for
 * good when it is next found unreachable. It was unregistered when it was queued, and may be
 * registered anew.
 *
 * Order: a collection queues what it finds in the order of registration, whatever refers to what;
 * what later collections find comes after. Registering an object twice queues it twice. Weak fields
 * that refer to a queued object, or to what it alone keeps alive, were cleared before
 * (spgc/weak.h); entries of weak maps with such keys remain (spgc/weak_map.h).
 *
 * An object dead in the old space is found when a marking of the old space ends, or by a full
 * collection.
 */
#ifndef SPGC_FINALIZER_H
#define SPGC_FINALIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct spgc_finalizer {
  struct spgc_ref object; /* found unreachable */
  struct spgc_ref held;   /* what was given at registration */
};

/* Registers `object`. `held`, an object or any word outside the heap, is kept alive until the entry
 * leaves the queue: if `object` is reachable from it, `object` never dies. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT when `object` is not in the heap; SPGC_ERROR_NO_MEMORY. Not a
 * safepoint. Attached threads only; this holds for all functions below. */
enum spgc_result spgc_finalizer_register(struct spgc_ref object, struct spgc_ref held,
                                         struct spgc_error *error);

/* Takes back the latest registration of `object`. False when it has none, or was queued already.
 * Not a safepoint. */
bool spgc_finalizer_cancel(struct spgc_ref object);

/* Takes the oldest entry from the queue. False when it is empty. Both references are the caller's
 * to keep (in handles) from now on. Not a safepoint. */
bool spgc_finalizer_next(struct spgc_finalizer *finalizer);

/* Number of entries in the queue: cheap, for a look at safepoints. Not a safepoint. */
size_t spgc_finalizers_waiting(void);

/* Queues every registered object although it lives, in the order of registration: for a language
 * that finalizes at its end. Without it, spgc_stop forgets what is registered or queued. Not a
 * safepoint. */
void spgc_finalizers_queue_all(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
