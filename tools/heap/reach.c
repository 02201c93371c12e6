#include "tools/heap/reach.h"

#include <stdlib.h>
#include <string.h>

#include "tools/heap/memory.h"

void reach_find(struct reach *reach, const struct snapshot *snapshot) {
  size_t count = snapshot->node_count;
  *reach = (struct reach){.order = memory_array(count, sizeof *reach->order),
                          .parents = memory_array(count, sizeof *reach->parents),
                          .edges = memory_array(count, sizeof *reach->edges)};
  memset(reach->parents, 0xFF, count * sizeof *reach->parents); /* NO_NUMBER */
  reach->parents[0] = 0;
  reach->order[reach->count++] = 0;
  for (uint32_t next = 0; next < reach->count; next++) {
    uint32_t node = reach->order[next];
    for (uint32_t edge = snapshot->first_edges[node]; edge < snapshot->first_edges[node + 1];
         edge++) {
      uint32_t target = snapshot->targets[edge];
      if (is_reached(reach, target) || !edge_is_strong(snapshot, node, edge))
        continue;
      reach->parents[target] = node;
      reach->edges[target] = edge;
      reach->order[reach->count++] = target;
    }
  }
}

void reach_free(struct reach *reach) {
  free(reach->order);
  free(reach->parents);
  free(reach->edges);
}

/* In search order a node precedes those below it, so sizes are summed from the end and numbers are
 * given from the start: next[n] is the number for n's next child. */
void subtrees_number(struct subtrees *subtrees, const struct reach *reach, uint32_t node_count) {
  uint32_t *first = memory_array(node_count, sizeof *first);
  uint32_t *size = memory_array(node_count, sizeof *size);
  uint32_t *next = memory_array(node_count, sizeof *next);
  for (uint32_t i = 0; i < reach->count; i++)
    size[reach->order[i]] = 1;
  for (uint32_t i = reach->count; i-- > 1;)
    size[reach->parents[reach->order[i]]] += size[reach->order[i]];
  first[0] = 0;
  next[0] = 1;
  for (uint32_t i = 1; i < reach->count; i++) {
    uint32_t node = reach->order[i], parent = reach->parents[node];
    first[node] = next[parent];
    next[node] = first[node] + 1;
    next[parent] += size[node];
  }
  free(next);
  *subtrees = (struct subtrees){first, size};
}

void subtrees_free(struct subtrees *subtrees) {
  free(subtrees->first);
  free(subtrees->size);
}
