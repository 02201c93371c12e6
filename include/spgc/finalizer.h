/* Finalizers: work that a language does after an object has become unreachable.
 *
 * The collector runs no finalizers. When it finds a registered object unreachable, it unregisters
 * and *queues* the object. The queue is a root, until the language takes the object with
 * spgc_finalizer_next. Then it is an ordinary object, which may be stored anywhere (resurrected) or
 * registered again, and dies when it is next found unreachable.
 *
 * Objects are queued in the order of registration, whatever refers to what, once for each. Before
 * that, weak fields that refer to them, or to objects that they alone keep alive, are cleared
 * (spgc/weak.h). Entries of weak maps with such keys remain (spgc/weak_map.h).
 *
 * By default, functions are for attached threads and are not safepoints. */
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
  struct spgc_ref object;
  struct spgc_ref held;
};

/* Registers `object`. `held`, an object or any word outside the heap, is kept alive until it is
 * returned with the object; if it leads to `object`, `object` never dies. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT if `object` is not an object, or `held` is inside one;
 * SPGC_ERROR_NO_MEMORY. */
enum spgc_result spgc_finalizer_register(struct spgc_ref object, struct spgc_ref held,
                                         struct spgc_error *error);

/* Removes the latest registration of `object`. False if there is none, or it was queued already. */
bool spgc_finalizer_cancel(struct spgc_ref object);

/* Takes the oldest entry from the queue. False if the queue is empty. The caller must put both
 * references into handles. */
bool spgc_finalizer_next(struct spgc_finalizer *finalizer);

/* The length of the queue. Cheap enough to be called often. */
size_t spgc_finalizers_waiting(void);

/* Queues every registered object, alive or not, for a language that runs finalizers at exit:
 * spgc_stop drops registered and queued objects. */
void spgc_finalizers_queue_all(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
