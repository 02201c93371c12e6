/* The names that type descriptors give: of types, and of fields. */
#ifndef SPGC_OBSERVE_SNAPSHOT_GRAPH_TYPES_H
#define SPGC_OBSERVE_SNAPSHOT_GRAPH_TYPES_H

#include "observe/snapshot/graph.h"
#include "spgc/type.h"

struct spgc_graph_type {
  const struct spgc_type *type;
  uint32_t name;        /* number of a string */
  uint32_t name_count;  /* of its slots that may have names */
  uint64_t first_field; /* of the graph's field_names */
};

/* The entry of a descriptor, valid until another one is asked for. */
struct spgc_graph_type spgc_graph_type(struct spgc_graph *graph, const struct spgc_type *type);

/* The number of the name of a field: of slot `slot` of the fixed part, which lies at `offset`. A
 * field without a name is called by its offset, like "+16". */
uint32_t spgc_graph_field_name(struct spgc_graph *graph, const struct spgc_graph_type *type,
                               uint32_t slot, uint64_t offset);

/* The number of the string "+OFFSET". */
uint32_t spgc_graph_offset_name(struct spgc_graph *graph, uint64_t offset);

#endif
