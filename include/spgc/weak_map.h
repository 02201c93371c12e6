/* Weak maps: tables of ephemerons, which map objects, by identity, to values.
 *
 * An ephemeron is a pair of a key and a value. The value is kept alive while both the map and the
 * key are alive, whatever the value refers to. If the key is reachable only through the value, both
 * die. Chains of ephemerons, in any order and across maps, are followed in time linear in their
 * number and in the objects they keep alive.
 *
 * A map belongs to an owner, the object that stands for it in the language, and dies with it. A map
 * without an owner lives until it is destroyed.
 *
 * The collection that finds a key dead removes its entry. A key that waits for its finalizer
 * (spgc/finalizer.h) is not dead yet, and keeps its values.
 *
 * Tables are outside the heap and do not count against its limit: 40 bytes for an entry, and part
 * of an index. They shrink when collections find many keys dead. The cost of a minor collection
 * depends on the entries made or changed since the last one. */
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

/* Identifies a map. A language keeps it in the owner. The numbers of dead maps are reused. All 64
 * bits belong to the library. */
struct spgc_weak_map {
  uint64_t number;
};

/* Creates an empty map that lives as long as `owner`; if `owner` is null, until it is destroyed or
 * the heap is stopped. Errors: SPGC_ERROR_INVALID_ARGUMENT if `owner` is neither null nor in the
 * heap; SPGC_ERROR_NO_MEMORY. Not a safepoint. Attached threads only; this holds for all functions
 * below. */
enum spgc_result spgc_weak_map_create(struct spgc_ref owner, struct spgc_weak_map *map,
                                      struct spgc_error *error);

/* Destroys the map before its owner dies. Its number must not be used any more. The time is
 * proportional to the map's entries, averaged over calls; one call may also remove the entries of
 * maps destroyed before. Not a safepoint. */
void spgc_weak_map_destroy(struct spgc_weak_map map);

/* Sets the key's value to `value`, an object or any word outside the heap.
 * Errors: SPGC_ERROR_INVALID_ARGUMENT if the key is not an object, or the value leads into the heap
 * and not to an object's beginning; SPGC_ERROR_NO_MEMORY. Not a safepoint. */
enum spgc_result spgc_weak_map_set(struct spgc_weak_map map, struct spgc_ref key,
                                   struct spgc_ref value, struct spgc_error *error);

/* Returns whether the map has the key, and stores its value in `value`, which may be NULL. Not a
 * safepoint. */
bool spgc_weak_map_get(struct spgc_weak_map map, struct spgc_ref key, struct spgc_ref *value);

/* Removes an entry. Returns whether the key was there. Not a safepoint. */
bool spgc_weak_map_remove(struct spgc_weak_map map, struct spgc_ref key);

/* The number of entries, including those whose key is dead but was not yet found dead by a
 * collection. Not a safepoint. */
uint64_t spgc_weak_map_count(struct spgc_weak_map map);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
