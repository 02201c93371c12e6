/* Weak maps' data, shared by the operations of mutators and by collections.
 *
 * The entries of all maps are in one side table, by their keys: one index finds an entry for an
 * operation and, in a collection, the entries that waited for an object that has just been reached.
 */
#ifndef SPGC_GC_WEAK_WEAK_MAP_H
#define SPGC_GC_WEAK_WEAK_MAP_H

#include "gc/weak/side_table.h"

/* A pair of a map; the key is its entry's object, `data` the number of the map. */
struct spgc_ephemeron {
  struct spgc_side_entry entry;
  struct spgc_ref value;
  uint32_t waiting; /* only a collection's: see gc/weak/ephemeron.c */
};

struct spgc_weak_map_record {
  struct spgc_ref owner; /* null: none; meaningless while free */
  bool is_free;
  uint32_t next_free; /* number of the next free record, or SPGC_SIDE_NONE */
  uint32_t waiting;   /* only a collection's: see gc/weak/ephemeron.c */
  uint64_t count;     /* entries */
};

/* Written under the lock, or with the world stopped. */
struct spgc_weak_maps {
  struct spgc_side_table ephemerons;
  struct spgc_side_table owners; /* an entry's `data` is the number of its map */
  struct spgc_weak_map_record *records;
  uint32_t record_count, record_capacity, first_free;
  uint64_t entries_examined; /* by all collections' closings: a measure of their work */
};

extern struct spgc_weak_maps spgc_weak_maps;

/* The record's number may be used again. */
void spgc_weak_maps_free_record(uint32_t number);

#endif
