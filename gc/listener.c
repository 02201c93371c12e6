#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "support/cancellation.h"

uint64_t spgc_started_ns(void) {
  return spgc_runtime.started_ns;
}

/* Members before the functions. */
enum { LEAST_BYTES = offsetof(struct spgc_listener, world_stopped), MOST_BYTES = 4096 };

enum spgc_result spgc_listener_add(struct spgc_listener *listener, struct spgc_error *error) {
  spgc_require(listener != NULL, "spgc_listener_add: no listener is given");
  if (listener->size < LEAST_BYTES || listener->size > MOST_BYTES ||
      listener->size % sizeof(void *) != 0)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_listener_add: no release has a listener of %zu bytes; begin with "
                          "{.size = sizeof(struct spgc_listener)}",
                          listener->size);
  return spgc_listener_link(listener)
             ? SPGC_OK
             : spgc_error_set(error, SPGC_ERROR_STATE, 0,
                              "spgc_listener_add: the listener was added before");
}

static enum spgc_result remove_listener(struct spgc_listener *listener, struct spgc_error *error) {
  if (spgc_runtime.started)
    return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                          "spgc_listener_remove: the heap is started; call spgc_stop first");
  return spgc_listener_unlink(listener)
             ? SPGC_OK
             : spgc_error_set(error, SPGC_ERROR_STATE, 0,
                              "spgc_listener_remove: the listener was not added");
}

enum spgc_result spgc_listener_remove(struct spgc_listener *listener, struct spgc_error *error) {
  spgc_require(listener != NULL, "spgc_listener_remove: no listener is given");
  if (spgc_listening != 0)
    return spgc_error_set(
        error, SPGC_ERROR_STATE, 0,
        "spgc_listener_remove: it is called in a listener's callback, for whose end it would wait");
  SPGC_UNCANCELLED;
  spgc_lock(SPGC_LOCK_WORLD);
  enum spgc_result result = remove_listener(listener, error);
  spgc_unlock(SPGC_LOCK_WORLD);
  if (result == SPGC_OK)
    spgc_listeners_wait();
  return result;
}
