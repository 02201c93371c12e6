/* The graph of a heap snapshot: nodes and named edges.
 *
 *   node 0                       the root
 *   nodes 1 to group_count       groups of roots: edges of node 0
 *   then                         the reached objects, in the order of their addresses
 *   then                         further parts of objects that are too large for one node
 *
 * It is computed several times instead of being stored; the first time finds all strings. */
#ifndef SPGC_OBSERVE_SNAPSHOT_GRAPH_H
#define SPGC_OBSERVE_SNAPSHOT_GRAPH_H

#include "observe/snapshot/reachable.h"
#include "observe/snapshot/root_list.h"
#include "observe/snapshot/string_pool.h"

/* V8's numbers. */
enum spgc_node_type { SPGC_NODE_OBJECT = 3, SPGC_NODE_SYNTHETIC = 9 };
enum spgc_edge_type {
  SPGC_EDGE_ELEMENT = 1, /* `name` is a number; else a string's number */
  SPGC_EDGE_PROPERTY = 2,
  SPGC_EDGE_INTERNAL = 3,
  SPGC_EDGE_WEAK = 6,
};

/* Sizes have 32 bits in the file. Parts begin at blocks. */
#define SPGC_NODE_MOST_BYTES ((size_t)UINT32_MAX + 1 - SPGC_BLOCK_BYTES)

struct spgc_node {
  enum spgc_node_type type;
  uint32_t name; /* string */
  uint32_t id;
  size_t bytes;
};

struct spgc_edge {
  enum spgc_edge_type type;
  uint64_t name;
  bool is_place;          /* `name` is the number of a place in the root list, or of a variable */
  struct spgc_ref object; /* null: node `to` */
  uint64_t to;
};

struct spgc_graph_part {
  struct spgc_ref object;
  size_t start, bytes;
};

enum { SPGC_CACHED_OFFSETS = 32 };

struct spgc_graph {
  const struct spgc_heap *heap;
  const struct spgc_root_list *list;
  struct spgc_reachable reachable;
  struct spgc_mapped_array only_finalized; /* objects only reached from registered finalizers */
  struct spgc_string_pool strings;
  struct spgc_mapped_array types, field_names; /* graph_types.h */
  struct spgc_hash_index type_index;
  uint32_t offset_names[SPGC_CACHED_OFFSETS]; /* like "+16", by word; 0: not yet requested */
  struct spgc_mapped_array parts;
  uint64_t group_count;
  bool is_incomplete; /* the system refused memory */
};

typedef void (*spgc_edge_visitor)(void *context, const struct spgc_edge *edge);

/* False if the system refuses memory. */
bool spgc_graph_create(struct spgc_graph *graph, const struct spgc_heap *heap,
                       const struct spgc_root_list *list);

bool spgc_graph_is_complete(const struct spgc_graph *graph);
uint64_t spgc_graph_nodes(const struct spgc_graph *graph);
uint64_t spgc_graph_parts(const struct spgc_graph *graph);
uint64_t spgc_graph_target(const struct spgc_graph *graph, const struct spgc_edge *edge);

/* Groups and further parts count from 0. Further parts have no edges. */
struct spgc_node spgc_graph_root(struct spgc_graph *graph);
struct spgc_node spgc_graph_group(struct spgc_graph *graph, uint64_t group);
struct spgc_node spgc_graph_object(struct spgc_graph *graph, struct spgc_ref object);
struct spgc_node spgc_graph_part(struct spgc_graph *graph, uint64_t number);

/* The order is the same each time. */
void spgc_graph_root_edges(struct spgc_graph *graph, spgc_edge_visitor visit, void *context);
void spgc_graph_group_edges(struct spgc_graph *graph, uint64_t group, spgc_edge_visitor visit,
                            void *context);
void spgc_graph_object_edges(struct spgc_graph *graph, struct spgc_ref object,
                             spgc_edge_visitor visit, void *context);

#endif
