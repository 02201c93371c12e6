/* Weak maps: tables of ephemerons, which map objects, by identity, to values.
 *
 * An ephemeron keeps its value alive while both the map and the key are alive. If the key is
 * reachable only through the value, both die. Chains of ephemerons, in any order and across maps,
 * take time linear in their number and in the objects they keep alive.
 *
 * A map dies with its owner, the object that stands for it in the language.
 *
 * The collection that finds a key dead removes its entry. A key that waits for its finalizer
 * (spgc/finalizer.h) is not dead yet, and keeps its values.
 *
 * Tables are outside the heap and its limit: 40 bytes an entry, and part of an index. A minor
 * collection visits only the entries made or changed since the last one.
 *
 * By default, functions are for attached threads and are not safepoints. */
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

/* Identifies a map; a language keeps it in the owner. Dead maps' numbers are reused. All 64 bits
 * belong to the library. */
struct spgc_weak_map {
  uint64_t number;
};

/* Creates an empty map that lives as long as `owner`, or if that is null, until it is destroyed or
 * the heap is stopped. Errors: SPGC_ERROR_INVALID_ARGUMENT if `owner` is neither null nor in the
 * heap; SPGC_ERROR_NO_MEMORY. */
enum spgc_result spgc_weak_map_create(struct spgc_ref owner, struct spgc_weak_map *map,
                                      struct spgc_error *error);

/* Destroys the map before its owner dies; its number must not be used any more. The time is
 * proportional to the map's entries, averaged over calls, because one call may remove entries of
 * several maps. */
void spgc_weak_map_destroy(struct spgc_weak_map map);

/* Sets the key's value to `value`, an object or any word outside the heap. Errors:
 * SPGC_ERROR_INVALID_ARGUMENT if the key is not an object, or the value is inside one;
 * SPGC_ERROR_NO_MEMORY. */
enum spgc_result spgc_weak_map_set(struct spgc_weak_map map, struct spgc_ref key,
                                   struct spgc_ref value, struct spgc_error *error);

/* Whether the map has the key; stores its value in `value` (may be NULL). */
bool spgc_weak_map_get(struct spgc_weak_map map, struct spgc_ref key, struct spgc_ref *value);

/* Removes an entry. Whether the key was there. */
bool spgc_weak_map_remove(struct spgc_weak_map map, struct spgc_ref key);

/* The number of entries, including those of dead keys that no collection has found yet. */
uint64_t spgc_weak_map_count(struct spgc_weak_map map);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
