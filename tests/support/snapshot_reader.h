/* A broken rule of the format fails the test. */
#ifndef SPGC_TESTS_SNAPSHOT_READER_H
#define SPGC_TESTS_SNAPSHOT_READER_H

#include <stdbool.h>
#include <stdint.h>

enum { NODE_OBJECT = 3, NODE_SYNTHETIC = 9 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_INTERNAL = 3, EDGE_WEAK = 6 };

struct read_node {
  unsigned type;
  const char *name;
  uint64_t id, bytes;
  uint64_t first_edge, edge_count;
};

struct read_edge {
  unsigned type;
  const char *name;   /* NULL: it has an index */
  uint64_t index, to; /* the node's number */
};

struct read_snapshot {
  uint64_t node_count, edge_count;
  struct read_node *nodes;
  struct read_edge *edges;
  void *text;
};

struct read_snapshot snapshot_read(const char *path);
void snapshot_free(struct read_snapshot *snapshot);

uint64_t snapshot_count(const struct read_snapshot *snapshot, const char *name);
uint64_t snapshot_bytes(const struct read_snapshot *snapshot, const char *name);

/* Fails the test if there are none or several. */
uint64_t snapshot_find(const struct read_snapshot *snapshot, const char *name);

/* The first of this name, or index if the name is NULL. NULL if there is none. */
const struct read_edge *snapshot_edge(const struct read_snapshot *snapshot, uint64_t node,
                                      unsigned type, const char *name, uint64_t index);

/* Strong edges must reach every object from node 0. */
void snapshot_require_reachable(const struct read_snapshot *snapshot);

#endif
