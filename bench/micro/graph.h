/* Evacuation destroys a graph, so it can be written again. Objects have one to four references. */
#ifndef SPGC_BENCH_MICRO_GRAPH_H
#define SPGC_BENCH_MICRO_GRAPH_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/type.h"

enum { GRAPH_MOST_REFERENCES = 4, GRAPH_NO_OBJECT = UINT32_MAX };

extern const struct spgc_type graph_types[GRAPH_MOST_REFERENCES + 1]; /* by number of references */

struct graph_object {
  const struct spgc_type *type;
  uint32_t references[GRAPH_MOST_REFERENCES]; /* numbers of objects, or GRAPH_NO_OBJECT */
};

struct graph {
  struct graph_object *objects; /* in the order of their addresses */
  uintptr_t *addresses;         /* of the last writing */
  uint32_t count, root;
  size_t bytes;
};

/* Nodes of 24 bytes, children before their parents. */
struct graph graph_tree(size_t bytes);

struct graph graph_random(size_t bytes);

extern const struct graph_kind {
  const char *name;
  struct graph (*make)(size_t bytes);
} graph_kinds[];
extern const size_t graph_kind_count;

void graph_free(struct graph *graph);

/* In the order of the objects' numbers. Returns the root's address. */
uintptr_t graph_write(const struct graph *graph, uintptr_t (*place)(void *context, size_t bytes),
                      void *context);

#endif
