/* The data of weak maps, shared by mutators' operations and collections.
 *
 * One side table holds the entries of all maps, indexed by their keys. The index serves operations,
 * and finds the entries that wait for an object that a collection has just reached.
 */
#ifndef SPGC_GC_WEAK_WEAK_MAP_H
#define SPGC_GC_WEAK_WEAK_MAP_H

#include "gc/weak/side_table.h"

/* An entry of a map. The key is entry.object; `data` is the number of the map. */
struct spgc_ephemeron {
  struct spgc_side_entry entry;
  struct spgc_ref value;
  uint32_t waiting; /* used by collections: see gc/weak/ephemeron.c */
};

struct spgc_weak_map_record {
  struct spgc_ref owner; /* or null; meaningless while free */
  bool is_free;
  uint32_t next_free; /* number of the next free record, or SPGC_SIDE_NONE */
  uint32_t waiting;   /* used by collections: see gc/weak/ephemeron.c */
  uint64_t count;     /* entries */
};

/* Written under SPGC_LOCK_WEAK_MAPS, or with the world stopped. */
struct spgc_weak_maps {
  struct spgc_side_table ephemerons;
  struct spgc_side_table owners; /* an entry's `data` is the number of its map */
  struct spgc_weak_map_record *records;
  uint32_t record_count, record_capacity, first_free;
  uint64_t entries_examined; /* by all collections: a measure of their work, for tests */
};

extern struct spgc_weak_maps spgc_weak_maps;

/* Frees a map's record. Its number may be used again. */
void spgc_weak_maps_free_record(uint32_t number);

#endif
