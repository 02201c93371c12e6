#include "frontend-demo/runtime/patched_get.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/shape.h"
#include "spgc/stackmap.h"
#include "support/fatal.h"

/* A site that missed more often sees so many shapes that remembering one is useless. */
enum { MISSES_MAX = 8 };

/* The thread that runs Lox writes the counts; the rest is written while no Lox code runs. */
static struct {
  struct lox_patcher patcher;
  const struct lox_unit *unit;
  uintptr_t *return_addresses;
  uint64_t patched_count;
  uint64_t redirection_count;
  uint64_t general_count;
} gets;

_Static_assert(offsetof(struct lox_patched_get, cache) == 0,
               "lox_get_miss may be called with a site");

/* ---- Code for one slot ---- */

#define EACH_SLOT(X)                                                                               \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

#define CODE_FOR_SLOT(slot)                                                                        \
  static struct spgc_ref get_slot_##slot(struct spgc_ref object, struct lox_patched_get *site) {   \
    if (lox_is_object(object) && lox_as_instance(object)->shape == site->shape)                    \
      return spgc_slot_load(spgc_slot_at(&lox_as_instance(object)->slots[slot]));                  \
    return lox_get_patched(object, site);                                                          \
  }
EACH_SLOT(CODE_FOR_SLOT)

typedef struct spgc_ref get_code(struct spgc_ref object, struct lox_patched_get *site);

static get_code *const code_for_slot[] = {
#define ROW(slot) get_slot_##slot,
    EACH_SLOT(ROW)
#undef ROW
};

enum { SLOTS_WITH_CODE = sizeof code_for_slot / sizeof code_for_slot[0] };

/* ---- Redirecting ---- */

static void redirect(const struct lox_patched_get *site, void *target) {
  struct spgc_error error;
  for (uint64_t i = 0; i < site->return_address_count; i++) {
    enum spgc_result result =
        gets.patcher.redirect(gets.patcher.context, site->return_addresses[i], target, &error);
    spgc_require(result == SPGC_OK, "a call cannot be redirected again: %s", error.message);
  }
  gets.redirection_count++;
}

static void adapt(struct spgc_ref object, struct lox_patched_get *site) {
  if (++site->miss_count > MISSES_MAX) {
    site->shape = NULL;
    redirect(site, (void *)lox_get_miss);
    gets.general_count++;
    return;
  }
  if (!lox_is_kind(object, LOX_OBJECT_INSTANCE))
    return;
  const struct lox_shape *shape = lox_as_instance(object)->shape;
  uint32_t field = lox_shape_find_field(shape, lox_symbol_of(site->cache.name));
  if (field >= SLOTS_WITH_CODE || !lox_shape_field_is_inline(shape, field))
    return;
  site->shape = shape;
  redirect(site, (void *)code_for_slot[field]);
}

struct spgc_ref lox_get_patched(struct spgc_ref object, struct lox_patched_get *site) {
  adapt(object, site);
  return lox_get_miss(object, &site->cache);
}

/* ---- Start and stop ---- */

static enum spgc_result patch(struct lox_patched_get *site, struct spgc_error *error) {
  for (uint64_t i = 0; i < site->return_address_count; i++) {
    enum spgc_result result = gets.patcher.redirect(gets.patcher.context, site->return_addresses[i],
                                                    (void *)lox_get_patched, error);
    if (result != SPGC_OK)
      return result;
    gets.patched_count++;
  }
  return SPGC_OK;
}

static uint64_t count_calls(const struct lox_unit *unit) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < unit->patched_get_count; i++)
    count += spgc_stackmap_call_sites(LOX_PATCHED_GET | i, NULL, 0);
  return count;
}

enum spgc_result lox_patched_gets_start(const struct lox_unit *unit,
                                        const struct lox_patcher *patcher,
                                        struct spgc_error *error) {
  spgc_require(gets.unit == NULL, "a unit with patched calls is loaded already");
  uint64_t room = count_calls(unit);
  gets.unit = unit;
  gets.patcher = *patcher;
  gets.return_addresses = calloc(room + 1, sizeof *gets.return_addresses);
  if (gets.return_addresses == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "no memory for the addresses of patched calls");
  uintptr_t *next = gets.return_addresses;
  for (uint64_t i = 0; i < unit->patched_get_count; i++) {
    struct lox_patched_get *site = unit->patched_gets[i];
    site->return_addresses = next;
    site->return_address_count = spgc_stackmap_call_sites(LOX_PATCHED_GET | i, next, room);
    next += site->return_address_count;
    room -= site->return_address_count;
    enum spgc_result result = patch(site, error);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

uint64_t lox_patched_get_call_site(uint64_t statepoint_id) {
  if ((statepoint_id & LOX_PATCHED_GET) == 0)
    return statepoint_id;
  uint64_t number = statepoint_id & ~LOX_PATCHED_GET;
  spgc_require(gets.unit != NULL && number < gets.unit->patched_get_count,
               "no patched call has number %" PRIu64, number);
  return gets.unit->patched_gets[number]->call_site;
}

void lox_patched_gets_print(FILE *file) {
  if (gets.patched_count > 0)
    fprintf(file,
            "caches: %" PRIu64 " call sites patched, redirected %" PRIu64 " times, %" PRIu64
            " to the general lookup\n",
            gets.patched_count, gets.redirection_count, gets.general_count);
}

void lox_patched_gets_stop(void) {
  free(gets.return_addresses);
  gets.return_addresses = NULL;
  gets.unit = NULL;
  gets.patched_count = gets.redirection_count = gets.general_count = 0;
}
