/* One side table has all weak maps' entries, indexed by keys and maps. By its lists of a key's
 * entries, collections find those that wait for an object just reached. */
#ifndef SPGC_GC_WEAK_WEAK_MAP_H
#define SPGC_GC_WEAK_WEAK_MAP_H

#include "gc/weak/side_table.h"

/* Its object is the key, its place the number of the map. */
struct spgc_ephemeron {
  struct spgc_side_listed head;
  struct spgc_ref value;
  uint32_t waiting; /* see gc/weak/weak_map.c */
};

enum spgc_weak_map_state {
  SPGC_WEAK_MAP_FREE,
  SPGC_WEAK_MAP_IN_USE,
  SPGC_WEAK_MAP_DESTROYED, /* some entries are still in the table */
};

struct spgc_weak_map_record {
  enum spgc_weak_map_state state;
  uint32_t next_free;    /* free record, or SPGC_SIDE_NONE */
  struct spgc_ref owner; /* or null; valid while the map is in use */
  uint32_t waiting;      /* see gc/weak/weak_map.c */
  uint32_t count;
};

/* Written under SPGC_LOCK_WEAK_MAPS, or with the world stopped. */
struct spgc_weak_maps {
  struct spgc_side_table ephemerons;
  struct spgc_side_table owners; /* the place is the map's number */
  struct spgc_weak_map_record *records;
  uint32_t record_count, record_capacity, first_free;
  uint32_t left_entries;     /* of destroyed maps; at most half of all */
  uint64_t entries_examined; /* by all collections, for tests */
};

extern struct spgc_weak_maps spgc_weak_maps;

/* Reaches the values of entries whose key and map were reached, and all that they lead to. */
void spgc_ephemerons_close(const struct spgc_liveness *liveness);

#endif
