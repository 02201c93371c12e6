#include "gc/weak/pin.h"

#include <inttypes.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "gc/trace/pinned.h"
#include "gc/weak/side_table.h"
#include "spgc/pin.h"
#include "support/fatal.h"

/* The entry's `data` counts the pins. Under SPGC_LOCK_PINS, or with the world stopped. */
struct pin {
  struct spgc_side_entry entry;
  uintptr_t header; /* of the object while the collection holds it, else 0 */
};

static struct spgc_side_table pins = SPGC_SIDE_TABLE_OF(struct pin);

static struct pin *pin_at(uint32_t index) {
  return spgc_side_table_at(&pins, index);
}

static bool pin_locked(struct spgc_ref object) {
  struct pin *pin = spgc_side_table_find(&pins, object);
  if (pin == NULL)
    pin = spgc_side_table_append(&pins, object);
  if (pin == NULL || pin->entry.data == UINT32_MAX)
    return false;
  pin->entry.data++;
  return true;
}

enum spgc_result spgc_pin(struct spgc_ref object, struct spgc_error *error) {
  spgc_caller();
  const char *wrong = spgc_misuse_of_object(object);
  if (wrong != NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "spgc_pin: %#" PRIxPTR " is no object: %s", object.word, wrong);
  spgc_lock(SPGC_LOCK_PINS);
  bool pinned = pin_locked(object);
  spgc_unlock(SPGC_LOCK_PINS);
  return pinned ? SPGC_OK
                : spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "spgc_pin: out of memory");
}

void spgc_unpin(struct spgc_ref object) {
  spgc_caller();
  spgc_lock(SPGC_LOCK_PINS);
  struct pin *pin = spgc_side_table_find(&pins, object);
  spgc_require(pin != NULL, "spgc_unpin: object %#" PRIxPTR " is not pinned", object.word);
  if (--pin->entry.data == 0)
    spgc_side_table_remove(&pins, pin);
  spgc_unlock(SPGC_LOCK_PINS);
}

/* Holds all pinned objects before it scans the first one. */
void spgc_pins_hold(const struct spgc_liveness *liveness) {
  uint32_t first = spgc_side_table_first_root(&pins, liveness);
  for (uint32_t i = first; i < pins.count; i++)
    pin_at(i)->header = spgc_pin_hold(liveness->evacuation, pin_at(i)->entry.object);
  for (uint32_t i = first; i < pins.count; i++)
    if (pin_at(i)->header != 0)
      spgc_pin_scan(liveness->evacuation, pin_at(i)->entry.object, pin_at(i)->header);
}

void spgc_pins_mark(const struct spgc_liveness *liveness) {
  for (uint32_t i = 0; i < pins.count; i++)
    spgc_keep_alive(liveness, spgc_slot_at(&pin_at(i)->entry.object));
}

void spgc_pins_release(const struct spgc_liveness *liveness) {
  struct spgc_marker *marker = spgc_evacuation_marker(liveness->evacuation);
  uint32_t first = spgc_side_table_first_root(&pins, liveness);
  for (uint32_t i = first; i < pins.count; i++)
    if (pin_at(i)->header != 0)
      spgc_pin_release(liveness->heap, pin_at(i)->entry.object, pin_at(i)->header);
  for (uint32_t i = first; i < pins.count; i++)
    if (pin_at(i)->header != 0)
      spgc_pin_settle(liveness->heap, pin_at(i)->entry.object);
  for (uint32_t i = first; i < pins.count; i++) {
    if (pin_at(i)->header != 0 && marker != NULL)
      spgc_pin_mark(marker, pin_at(i)->entry.object);
    pin_at(i)->header = 0;
  }
  pins.fresh = pins.count;
}

bool spgc_pins_exist(void) {
  return pins.count != 0;
}

bool spgc_pins_are_fresh(void) {
  return pins.fresh != pins.count;
}

void spgc_pins_visit(spgc_root_visitor visit, void *context) {
  for (uint32_t i = 0; i < pins.count; i++)
    visit(context, spgc_slot_at(&pin_at(i)->entry.object), "pinned object");
}

void spgc_pins_stop(void) {
  spgc_side_table_free(&pins);
}
