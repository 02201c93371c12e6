#include "tools/heap/rows.h"

#include <inttypes.h>

#include "support/fatal.h"
#include "tools/heap/memory.h"

void rows_begin(struct rows *rows, const struct layout *layout) {
  rows->layout = layout;
  rows->column = 0;
}

/* True: the row is complete. */
static inline bool row_add(struct rows *rows, uint64_t number) {
  const struct layout *layout = rows->layout;
  rows->row[layout->fields[rows->column]] = number;
  rows->column++;
  if (rows->column < layout->width)
    return false;
  rows->column = 0;
  return true;
}

static bool refuse(struct spgc_error *error, const char *list, uint32_t index, const char *field,
                   uint64_t number, const char *reason) {
  spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "%s %" PRIu32 " has the %s %" PRIu64 ", %s", list,
                 index, field, number, reason);
  return false;
}

static void reserve_nodes(struct snapshot *snapshot) {
  if (snapshot->node_count + (size_t)1 < snapshot->node_capacity)
    return;
  size_t capacity = memory_growth(snapshot->node_capacity);
  snapshot->types = memory_resized(snapshot->types, capacity, sizeof *snapshot->types);
  snapshot->names = memory_resized(snapshot->names, capacity, sizeof *snapshot->names);
  snapshot->ids = memory_resized(snapshot->ids, capacity, sizeof *snapshot->ids);
  snapshot->sizes = memory_resized(snapshot->sizes, capacity, sizeof *snapshot->sizes);
  snapshot->first_edges =
      memory_resized(snapshot->first_edges, capacity, sizeof *snapshot->first_edges);
  snapshot->node_capacity = capacity;
}

static bool add_node(struct rows *rows, struct snapshot *snapshot, struct spgc_error *error) {
  const uint64_t *row = rows->row;
  uint32_t node = snapshot->node_count;
  if (row[NODE_TYPE] >= rows->layout->type_count)
    return refuse(error, "node", node, "type", row[NODE_TYPE], "which meta does not list");
  for (uint32_t field = NODE_NAME; field < NODE_FIELDS; field++)
    if (row[field] >= NO_NUMBER)
      return refuse(error, "node", node, node_field_names[field], row[field],
                    "which does not fit 32 bits");
  rows->edges_told += row[NODE_EDGE_COUNT];
  if (rows->edges_told >= NO_NUMBER || node == NO_NUMBER - 1)
    return refuse(error, "node", node, "edge count", row[NODE_EDGE_COUNT],
                  "and there are too many nodes or edges by then");
  reserve_nodes(snapshot);
  snapshot->types[node] = (uint8_t)row[NODE_TYPE];
  snapshot->names[node] = (uint32_t)row[NODE_NAME];
  snapshot->ids[node] = (uint32_t)row[NODE_ID];
  snapshot->sizes[node] = (uint32_t)row[NODE_SELF_SIZE];
  snapshot->first_edges[node + 1] = (uint32_t)rows->edges_told;
  snapshot->first_edges[0] = 0;
  snapshot->node_count++;
  return true;
}

bool rows_add_to_nodes(struct rows *rows, struct snapshot *snapshot, uint64_t number,
                       struct spgc_error *error) {
  return !row_add(rows, number) || add_node(rows, snapshot, error);
}

static void reserve_edges(struct snapshot *snapshot) {
  if (snapshot->edge_count < snapshot->edge_capacity)
    return;
  size_t capacity = memory_growth(snapshot->edge_capacity);
  snapshot->kinds = memory_resized(snapshot->kinds, capacity, sizeof *snapshot->kinds);
  snapshot->labels = memory_resized(snapshot->labels, capacity, sizeof *snapshot->labels);
  snapshot->targets = memory_resized(snapshot->targets, capacity, sizeof *snapshot->targets);
  snapshot->edge_capacity = capacity;
}

static bool add_edge(struct rows *rows, struct snapshot *snapshot, struct spgc_error *error) {
  const uint64_t *row = rows->row;
  uint32_t edge = snapshot->edge_count;
  if (edge == rows->edges_told) {
    spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                   "there are more edges than the %" PRIu64 " that the nodes declare",
                   rows->edges_told);
    return false;
  }
  if (row[EDGE_TYPE] >= rows->layout->type_count)
    return refuse(error, "edge", edge, "type", row[EDGE_TYPE], "which meta does not list");
  if (row[EDGE_LABEL] >= NO_NUMBER)
    return refuse(error, "edge", edge, "name or index", row[EDGE_LABEL],
                  "which does not fit 32 bits");
  if (row[EDGE_TARGET] % rows->node_width != 0)
    return refuse(error, "edge", edge, "target", row[EDGE_TARGET],
                  "which is not the first number of a node");
  if (row[EDGE_TARGET] / rows->node_width >= snapshot->node_count)
    return refuse(error, "edge", edge, "target", row[EDGE_TARGET], "which is after the last node");
  reserve_edges(snapshot);
  snapshot->kinds[edge] = rows->edge_kinds[row[EDGE_TYPE]];
  snapshot->labels[edge] = (uint32_t)row[EDGE_LABEL];
  snapshot->targets[edge] = (uint32_t)(row[EDGE_TARGET] / rows->node_width);
  snapshot->edge_count++;
  return true;
}

bool rows_add_to_edges(struct rows *rows, struct snapshot *snapshot, uint64_t number,
                       struct spgc_error *error) {
  return !row_add(rows, number) || add_edge(rows, snapshot, error);
}
