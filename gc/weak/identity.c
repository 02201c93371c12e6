#include "spgc/identity.h"

#include <inttypes.h>

#include "gc/mutator/misuse.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "gc/weak/side_table.h"
#include "gc/weak/weak_processing.h"
#include "support/fatal.h"

/* An entry's `place` is the object's number. */
static struct spgc_side_table hashes =
    SPGC_SIDE_TABLE_OF(struct spgc_side_entry, SPGC_SIDE_OF_OBJECTS);
static uint32_t hashed_objects; /* under SPGC_LOCK_IDENTITIES */

/* The factors are odd, so each step can be undone: different numbers have different hashes, and 0
 * stays 0. */
static uint32_t mix(uint32_t number) {
  number ^= number >> 16;
  number *= UINT32_C(0xbf58476d);
  number ^= number >> 15;
  number *= UINT32_C(0x94d049bb);
  return number ^ number >> 15;
}

uint32_t spgc_identity_hash(struct spgc_ref object) {
  spgc_caller();
  if (!spgc_heap_contains(&spgc_runtime.heap, object.word)) {
    uint32_t hash = mix((uint32_t)object.word ^ mix((uint32_t)(object.word >> 32) + 1));
    return hash != 0 ? hash : 1;
  }
  const char *wrong = spgc_misuse_of_object(object);
  spgc_require_use(wrong == NULL, "%#" PRIxPTR " is not an object: %s", object.word, wrong);
  SPGC_LOCKED(SPGC_LOCK_IDENTITIES);
  struct spgc_side_entry *entry = spgc_side_table_find(&hashes, object, 0);
  if (entry != NULL)
    return mix(entry->place);
  entry = spgc_side_table_append(&hashes, object, 0);
  if (entry == NULL)
    return 0;
  if (++hashed_objects == 0)
    hashed_objects = 1;
  entry->place = hashed_objects;
  return mix(hashed_objects);
}

uint32_t spgc_identity_number(struct spgc_ref object) {
  const struct spgc_side_entry *entry = spgc_side_table_find(&hashes, object, 0);
  return entry != NULL ? entry->place : 0;
}

static void stop(void) {
  spgc_side_table_free(&hashes);
  hashed_objects = 0;
}

const struct spgc_weak_table spgc_table_of_identities = {
    .entries = &hashes, .what = "hashed object", .stay = spgc_side_table_reached, .stop = stop};
