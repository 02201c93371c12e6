/* Weak maps: tables of ephemerons, from objects by their identity to values.
 *
 * An ephemeron is a pair of a key and a value. The value is kept alive as long as the map and the
 * key are, whatever the value refers to: when the key can be reached only through the value, both
 * die. Chains of ephemerons, in any order and across maps, are followed in time linear in their
 * number and in what they keep alive.
 *
 * A map belongs to an owner, the object that stands for it in the language, and dies with it. One
 * without an owner lives until it is destroyed.
 *
 * An entry disappears in the collection that finds its key dead. A key that waits for its finalizer
 * (spgc/finalizer.h) is not dead yet: it still has its values.
 *
 * Tables lie outside the heap and do not count against its limit: 32 bytes an entry and its share
 * of an index. They shrink when collections find many keys dead. The cost of a minor collection
 * depends on the entries made or changed since the last one.
 */
#ifndef SPGC_WEAK_MAP_H
#define SPGC_WEAK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Names a map; numbers of dead maps are used again. A language keeps it in the owner. */
struct spgc_weak_map {
  uint32_t number;
};

/* An empty map that lives as long as `owner`; as long as the heap when `owner` is null. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT when `owner` is neither null nor in the heap; SPGC_ERROR_NO_MEMORY.
 * Not a safepoint. Attached threads only; this holds for all functions below. */
enum spgc_result spgc_weak_map_create(struct spgc_ref owner, struct spgc_weak_map *map,
                                      struct spgc_error *error);

/* Ends the map before its owner. Its number must not be used any more. Takes time proportional to
 * all maps' entries. */
void spgc_weak_map_destroy(struct spgc_weak_map map);

/* The key's value becomes `value`, an object or any word outside the heap. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT when the key is not in the heap; SPGC_ERROR_NO_MEMORY. Not a
 * safepoint. */
enum spgc_result spgc_weak_map_set(struct spgc_weak_map map, struct spgc_ref key,
                                   struct spgc_ref value, struct spgc_error *error);

/* Whether the map has the key; its value is stored in `value`, which may be NULL. Not a safepoint.
 */
bool spgc_weak_map_get(struct spgc_weak_map map, struct spgc_ref key, struct spgc_ref *value);

/* Returns whether the key was there. Not a safepoint. */
bool spgc_weak_map_remove(struct spgc_weak_map map, struct spgc_ref key);

/* Number of entries, with those whose key died but was not found dead by a collection yet. Not a
 * safepoint. */
uint64_t spgc_weak_map_size(struct spgc_weak_map map);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
