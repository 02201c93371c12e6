#ifndef SPGC_OBSERVE_SNAPSHOT_REACH_ALL_H
#define SPGC_OBSERVE_SNAPSHOT_REACH_ALL_H

#include "observe/snapshot/reachable.h"
#include "observe/snapshot/root_list.h"

/* Reaches the objects that a full collection would keep alive, from the listed roots, pins,
 * finalizers and weak maps. Objects only reached from a registered finalizer come last, and are
 * added to `only_finalized`. False if the system refuses memory. */
bool spgc_reach_all(struct spgc_reachable *reachable, const struct spgc_root_list *list,
                    struct spgc_mapped_array *only_finalized);

/* Of a reached entry. */
struct spgc_ephemeron;
bool spgc_reach_map_lives(const struct spgc_reachable *reachable,
                          const struct spgc_ephemeron *ephemeron);

#endif
