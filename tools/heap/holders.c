#include "tools/heap/holders.h"

#include <stdlib.h>

#include "tools/heap/memory.h"

/* The objects of the set, in search order, and the edges to each. */
struct targets {
  uint32_t *numbers; /* per node: its number in the set, or NO_NUMBER */
  uint32_t count;
  uint32_t *nodes;
  uint32_t *first_edges; /* count + 1 of them */
  struct incoming {
    uint32_t distance, edge; /* the source's, in search order */
  } *edges;
};

static void number_targets(struct targets *targets, struct holders *holders,
                           const struct snapshot *snapshot, const struct reach *reach,
                           holders_select *select, const void *context) {
  uint32_t count = snapshot->node_count;
  targets->numbers = memory_array(count, sizeof *targets->numbers);
  for (uint32_t node = 0; node < count; node++) {
    targets->numbers[node] = NO_NUMBER;
    if (!select(snapshot, node, context))
      continue;
    holders->objects++;
    holders->bytes += snapshot->sizes[node];
    if (!is_reached(reach, node))
      continue;
    holders->reached_bytes += snapshot->sizes[node];
    targets->numbers[node] = targets->count++;
  }
  holders->reached_objects = targets->count;
  targets->nodes = memory_array(targets->count, sizeof *targets->nodes);
  for (uint32_t node = 0; node < count; node++)
    if (targets->numbers[node] != NO_NUMBER)
      targets->nodes[targets->numbers[node]] = node;
}

/* NO_NUMBER if the edge does not matter. */
static uint32_t target_of(const struct targets *targets, const struct snapshot *snapshot,
                          const struct subtrees *subtrees, uint32_t source, uint32_t edge) {
  uint32_t node = snapshot->targets[edge];
  if (targets->numbers[node] == NO_NUMBER || !edge_is_strong(snapshot, source, edge) ||
      path_leads_over(subtrees, node, source))
    return NO_NUMBER;
  return targets->numbers[node];
}

static void collect_edges(struct targets *targets, const struct snapshot *snapshot,
                          const struct reach *reach, const struct subtrees *subtrees) {
  uint32_t *first = memory_zeroed((size_t)targets->count + 2, sizeof *first);
  targets->edges = NULL;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < reach->count; i++) {
      uint32_t source = reach->order[i];
      for (uint32_t edge = snapshot->first_edges[source]; edge < snapshot->first_edges[source + 1];
           edge++) {
        uint32_t target = target_of(targets, snapshot, subtrees, source, edge);
        if (target == NO_NUMBER)
          continue;
        if (pass == 0)
          first[target + 2]++;
        else
          targets->edges[first[target + 1]++] = (struct incoming){i, edge};
      }
    }
    for (uint32_t i = 2; pass == 0 && i < targets->count + 2; i++)
      first[i] += first[i - 1];
    if (pass == 0)
      targets->edges = memory_array(first[targets->count + 1], sizeof *targets->edges);
  }
  targets->first_edges = first;
}

struct counting {
  struct holders *holders;
  uint32_t *of_patterns; /* per pattern: its holder, or NO_NUMBER */
  size_t patterns, capacity;
};

static struct holder *holder_of(struct counting *counting, uint32_t pattern) {
  struct holders *holders = counting->holders;
  if (pattern >= counting->patterns) {
    size_t more = memory_growth(pattern);
    counting->of_patterns =
        memory_resized(counting->of_patterns, more, sizeof *counting->of_patterns);
    while (counting->patterns < more)
      counting->of_patterns[counting->patterns++] = NO_NUMBER;
  }
  if (counting->of_patterns[pattern] == NO_NUMBER) {
    if (holders->count == counting->capacity) {
      counting->capacity = memory_growth(holders->count);
      holders->all = memory_resized(holders->all, counting->capacity, sizeof *holders->all);
    }
    counting->of_patterns[pattern] = holders->count;
    holders->all[holders->count++] =
        (struct holder){.pattern = pattern, .distance = NO_NUMBER, .last = NO_NUMBER};
  }
  return &holders->all[counting->of_patterns[pattern]];
}

static void count_edge(struct holder *holder, uint32_t node, uint32_t size, uint32_t source,
                       const struct incoming *incoming) {
  if (holder->last != node) {
    holder->last = node;
    holder->objects++;
    holder->bytes += size;
  }
  if (incoming->distance < holder->distance) {
    holder->distance = incoming->distance;
    holder->source = source;
    holder->edge = incoming->edge;
  }
}

static int most_objects_first(const void *left, const void *right) {
  const struct holder *one = left, *other = right;
  if (one->objects != other->objects)
    return one->objects < other->objects ? 1 : -1;
  return one->distance != other->distance ? (one->distance > other->distance ? 1 : -1)
                                          : (one->edge > other->edge) - (one->edge < other->edge);
}

void holders_find(struct holders *holders, const struct snapshot *snapshot,
                  const struct reach *reach, struct patterns *patterns, holders_select *select,
                  const void *context) {
  *holders = (struct holders){.all = memory_array(0, sizeof *holders->all)}; /* never NULL */
  struct targets targets = {0};
  struct subtrees subtrees;
  struct counting counting = {.holders = holders};
  number_targets(&targets, holders, snapshot, reach, select, context);
  subtrees_number(&subtrees, reach, snapshot->node_count);
  collect_edges(&targets, snapshot, reach, &subtrees);
  for (uint32_t i = 0; i < targets.count; i++) {
    uint32_t node = targets.nodes[i];
    for (uint32_t k = targets.first_edges[i]; k < targets.first_edges[i + 1]; k++) {
      const struct incoming *incoming = &targets.edges[k];
      uint32_t source = reach->order[incoming->distance];
      uint32_t pattern = patterns_over(patterns, snapshot, source, incoming->edge);
      count_edge(holder_of(&counting, pattern), node, snapshot->sizes[node], source, incoming);
    }
  }
  qsort(holders->all, holders->count, sizeof *holders->all, most_objects_first);
  subtrees_free(&subtrees);
  free(counting.of_patterns);
  free(targets.numbers);
  free(targets.nodes);
  free(targets.first_edges);
  free(targets.edges);
}

void holders_free(struct holders *holders) {
  free(holders->all);
}
