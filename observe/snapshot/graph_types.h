#ifndef SPGC_OBSERVE_SNAPSHOT_GRAPH_TYPES_H
#define SPGC_OBSERVE_SNAPSHOT_GRAPH_TYPES_H

#include "observe/snapshot/graph.h"
#include "spgc/type.h"

struct spgc_graph_type {
  const struct spgc_type *type;
  uint32_t name;        /* string */
  uint32_t name_count;  /* slots that may have names */
  uint64_t first_field; /* its place in the graph's field_names */
};

/* Valid until the next call. */
struct spgc_graph_type spgc_graph_type(struct spgc_graph *graph, const struct spgc_type *type);

/* A slot of the fixed part, at `offset`. A nameless field is called "+16" after its offset. */
uint32_t spgc_graph_field_name(struct spgc_graph *graph, const struct spgc_graph_type *type,
                               uint32_t slot, uint64_t offset);

uint32_t spgc_graph_offset_name(struct spgc_graph *graph, uint64_t offset);

#endif
