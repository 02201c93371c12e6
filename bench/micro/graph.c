#include "bench/micro/graph.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/random.h"

enum { WORD = 8, NODE_REFERENCES = 2 };

#define GRAPH_TYPE(references)                                                                     \
  {.size = ((references) + 1) * WORD,                                                              \
   .reference_count = (references),                                                                \
   .reference_offsets = offsets,                                                                   \
   .name = "object"}

static const uint32_t offsets[] = {WORD, 2 * WORD, 3 * WORD, 4 * WORD};
const struct spgc_type graph_types[] = {GRAPH_TYPE(0), GRAPH_TYPE(1), GRAPH_TYPE(2), GRAPH_TYPE(3),
                                        GRAPH_TYPE(4)};

static void *allocate(size_t count, size_t bytes) {
  void *memory = calloc(count, bytes);
  if (memory == NULL) {
    fputs("spgc-micro: no memory\n", stderr);
    exit(EXIT_FAILURE);
  }
  return memory;
}

static struct graph graph_of(size_t most) {
  return (struct graph){.objects = allocate(most, sizeof(struct graph_object)),
                        .addresses = allocate(most, sizeof(uintptr_t))};
}

void graph_free(struct graph *graph) {
  free(graph->objects);
  free(graph->addresses);
  *graph = (struct graph){0};
}

static uint32_t add(struct graph *graph, uint32_t references) {
  struct graph_object *object = &graph->objects[graph->count];
  object->type = &graph_types[references];
  for (int i = 0; i < GRAPH_MOST_REFERENCES; i++)
    object->references[i] = GRAPH_NO_OBJECT;
  graph->bytes += object->type->size;
  return graph->count++;
}

static uint32_t add_tree(struct graph *graph, uint32_t nodes) {
  if (nodes == 0)
    return GRAPH_NO_OBJECT;
  uint32_t left = add_tree(graph, (nodes - 1) / 2), right = add_tree(graph, nodes / 2);
  uint32_t node = add(graph, NODE_REFERENCES);
  graph->objects[node].references[0] = left;
  graph->objects[node].references[1] = right;
  return node;
}

struct graph graph_tree(size_t bytes) {
  uint32_t nodes = (uint32_t)(bytes / graph_types[NODE_REFERENCES].size);
  struct graph graph = graph_of(nodes);
  graph.root = add_tree(&graph, nodes);
  return graph;
}

struct open_references {
  uint32_t **at;
  uint32_t count;
};

static void open_references(struct open_references *open, struct graph_object *object) {
  for (uint32_t i = 0; i < object->type->reference_count; i++)
    open->at[open->count++] = &object->references[i];
}

/* An earlier object refers to each but the root; the last references lead anywhere. */
struct graph graph_random(size_t bytes) {
  size_t most = bytes / graph_types[1].size + 1;
  struct spgc_random random = {1};
  struct graph graph = graph_of(most);
  struct open_references open = {allocate(most * GRAPH_MOST_REFERENCES, sizeof(uint32_t *)), 0};
  graph.root = add(&graph, GRAPH_MOST_REFERENCES);
  open_references(&open, &graph.objects[graph.root]);
  while (graph.bytes < bytes) {
    uint32_t object =
        add(&graph, 1 + (uint32_t)(spgc_random_next(&random) % GRAPH_MOST_REFERENCES));
    uint32_t **parent = &open.at[spgc_random_next(&random) % open.count];
    **parent = object;
    *parent = open.at[--open.count];
    open_references(&open, &graph.objects[object]);
  }
  while (open.count != 0)
    *open.at[--open.count] = (uint32_t)(spgc_random_next(&random) % graph.count);
  free(open.at);
  return graph;
}

const struct graph_kind graph_kinds[] = {{"tree", graph_tree}, {"random", graph_random}};
const size_t graph_kind_count = sizeof graph_kinds / sizeof *graph_kinds;

static void write_object(const struct graph *graph, const struct graph_object *object,
                         uintptr_t address) {
  uintptr_t *words = (uintptr_t *)address;
  words[0] = (uintptr_t)object->type;
  for (uint32_t i = 0; i < object->type->reference_count; i++)
    words[1 + i] =
        object->references[i] == GRAPH_NO_OBJECT ? 0 : graph->addresses[object->references[i]];
}

uintptr_t graph_write(const struct graph *graph, uintptr_t (*place)(void *context, size_t bytes),
                      void *context) {
  for (uint32_t i = 0; i < graph->count; i++)
    graph->addresses[i] = place(context, graph->objects[i].type->size);
  for (uint32_t i = 0; i < graph->count; i++)
    write_object(graph, &graph->objects[i], graph->addresses[i]);
  return graph->addresses[graph->root];
}
