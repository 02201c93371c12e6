/* Finalizers: a language's work after an object has become unreachable.
 *
 * The collector runs no finalizers. When a collection finds a registered object unreachable, it
 * *queues* the object: the queue is a root, so the object and everything it refers to stay alive
 * until the language takes it with spgc_finalizer_next, at a time of its choice. Then it is an
 * ordinary object. It may be stored anywhere (resurrected), and dies when it is next found
 * unreachable. It is unregistered when it is queued, and may be registered again.
 *
 * Order: a collection queues the objects it finds in the order of registration, whatever refers to
 * what. An object that is registered twice is queued twice. Before that, weak fields that refer to
 * a queued object, or to objects that it alone keeps alive, are cleared (spgc/weak.h). Entries of
 * weak maps with such keys remain (spgc/weak_map.h).
 *
 * Dead objects in the old space are found by a final mark, or by a full collection. */
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

/* An entry of the queue. */
struct spgc_finalizer {
  struct spgc_ref object; /* the object found unreachable */
  struct spgc_ref held;   /* the word given at registration */
};

/* Registers `object`. `held`, an object or any word outside the heap, is kept alive until the
 * entry leaves the queue. If `object` is reachable from it, `object` never dies.
 * Errors: SPGC_ERROR_INVALID_ARGUMENT if `object` is not an object, or `held` leads into the heap
 * and not to an object's beginning; SPGC_ERROR_NO_MEMORY. Not a safepoint. Attached threads only;
 * this holds for all functions below. */
enum spgc_result spgc_finalizer_register(struct spgc_ref object, struct spgc_ref held,
                                         struct spgc_error *error);

/* Removes the latest registration of `object`. False if it has none, or was queued already. Not a
 * safepoint. */
bool spgc_finalizer_cancel(struct spgc_ref object);

/* Takes the oldest entry from the queue. False if the queue is empty. The caller must keep both
 * references in handles from now on. Not a safepoint. */
bool spgc_finalizer_next(struct spgc_finalizer *finalizer);

/* The number of entries in the queue. Cheap enough to be called often. Not a safepoint. */
size_t spgc_finalizers_waiting(void);

/* Queues every registered object, although it may be alive, in the order of registration. For a
 * language that runs finalizers at exit: spgc_stop drops registered and queued objects. Not a
 * safepoint. */
void spgc_finalizers_queue_all(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
