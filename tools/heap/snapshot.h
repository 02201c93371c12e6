/* A heap snapshot in memory.
 *
 *   node    an object, a group of roots, or another item of V8's; numbered from 0, the root
 *   edge    a reference from a node to another; the edges of a node are adjacent
 *   class   the string by which objects are grouped: an object's name, or "(array)" and the like
 *
 * Every number below is in its range. A snapshot takes 17 bytes for each node, 9 for each edge, and
 * the strings. */
#ifndef SPGC_TOOLS_HEAP_SNAPSHOT_H
#define SPGC_TOOLS_HEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/heap/strings.h"

enum edge_kind {
  EDGE_NAMED,    /* with a string as its label */
  EDGE_INDEXED,  /* with an index */
  EDGE_WEAK,     /* keeps nothing alive; with a string */
  EDGE_SHORTCUT, /* keeps nothing alive, except from the root; repeats other edges */
};

struct node_type {
  uint32_t class;    /* a string, or NO_NUMBER: a node's class is its name */
  bool is_synthetic; /* groups of roots, not objects */
};

struct snapshot {
  uint32_t node_count, edge_count;
  size_t node_capacity, edge_capacity; /* while reading */

  /* for each node */
  uint8_t *types;        /* indices of node_types */
  uint32_t *names;       /* strings, the first of equal ones */
  uint32_t *ids;         /* shown to users, in the file and in DevTools */
  uint32_t *sizes;       /* bytes */
  uint32_t *first_edges; /* node_count + 1 of them */

  /* for each edge */
  uint8_t *kinds; /* enum edge_kind */
  uint32_t *labels;
  uint32_t *targets; /* nodes */

  struct node_type *node_types;
  struct strings strings;
};

/* Reports errors. The caller always frees the snapshot. */
bool snapshot_read(struct snapshot *snapshot, const char *path);

void snapshot_free(struct snapshot *snapshot);

static inline uint32_t node_class(const struct snapshot *snapshot, uint32_t node) {
  uint32_t class = snapshot->node_types[snapshot->types[node]].class;
  return class == NO_NUMBER ? snapshot->names[node] : class;
}

static inline bool node_is_object(const struct snapshot *snapshot, uint32_t node) {
  return node != 0 && !snapshot->node_types[snapshot->types[node]].is_synthetic;
}

static inline bool edge_is_strong(const struct snapshot *snapshot, uint32_t node, uint32_t edge) {
  enum edge_kind kind = snapshot->kinds[edge];
  return kind < EDGE_WEAK || (kind == EDGE_SHORTCUT && node == 0);
}

#endif
