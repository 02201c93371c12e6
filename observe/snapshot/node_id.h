/* Identifiers of the nodes of a heap snapshot: 32 bits, different within a file.
 *
 *   odd    1 is the root. An object with an identity hash has that hash's number, and keeps it
 *   even   an object in the zone of single blocks has its distance from the end of that zone; one
 *          in the zone of runs its first block. So objects that did not move between two
 *          snapshots keep theirs. Groups of roots count down from the largest number
 *
 * In too large a heap, the even ones are the numbers of nodes. */
#ifndef SPGC_OBSERVE_SNAPSHOT_NODE_ID_H
#define SPGC_OBSERVE_SNAPSHOT_NODE_ID_H

#include "observe/snapshot/graph.h"

enum { SPGC_ROOT_ID = 1 };

/* `node` is the number of the object, or of its further part at this address. */
uint32_t spgc_node_id(const struct spgc_graph *graph, struct spgc_ref object, uint64_t node);

uint32_t spgc_node_id_of_group(uint64_t group);

#endif
