#include "tools/heap/patterns.h"

#include <stdlib.h>

#include "tools/heap/memory.h"

enum { LONGEST_CYCLE = 32 }; /* pairs of classes that are compared */

static bool is_equal(const void *keys, uint32_t number, const void *key) {
  const struct pattern *one = &((const struct pattern *)keys)[number], *other = key;
  return one->before == other->before && one->label == other->label && one->class == other->class;
}

/* On the way to `before`, from class `from` to `class`; or NO_NUMBER. */
static uint32_t find_cycle(const struct patterns *patterns, uint32_t before, uint32_t class) {
  uint32_t from = patterns->all[before].class;
  for (int i = 0; i < LONGEST_CYCLE && before != 0; i++) {
    const struct pattern *pattern = &patterns->all[before];
    if (pattern->class == class && patterns->all[pattern->before].class == from)
      return before;
    before = pattern->before;
  }
  return NO_NUMBER;
}

static uint32_t add(struct patterns *patterns, const struct pattern *pattern, uint32_t hash) {
  if (patterns->count == patterns->capacity) {
    patterns->capacity = memory_growth(patterns->count);
    patterns->all = memory_resized(patterns->all, patterns->capacity, sizeof *patterns->all);
  }
  patterns->all[patterns->count] = *pattern;
  if (hash != 0)
    spgc_hash_index_enter(&patterns->index, &memory_of_index, hash, patterns->count);
  return patterns->count++;
}

static uint32_t step(struct patterns *patterns, uint32_t before, uint32_t label, uint32_t class) {
  if (before != 0 && patterns->all[before].class == class)
    return before;
  struct pattern next = {before, label, class};
  uint32_t hash = spgc_hash_bytes(&next, sizeof next) | 1;
  uint32_t found = spgc_hash_index_find(&patterns->index, hash, is_equal, patterns->all, &next);
  if (found == NO_NUMBER)
    found = find_cycle(patterns, before, class);
  return found == NO_NUMBER ? add(patterns, &next, hash) : found;
}

uint32_t patterns_over(struct patterns *patterns, const struct snapshot *snapshot, uint32_t source,
                       uint32_t edge) {
  uint32_t label = snapshot->kinds[edge] == EDGE_INDEXED ? NO_NUMBER : snapshot->labels[edge];
  return step(patterns, patterns->of_nodes[source], label,
              node_class(snapshot, snapshot->targets[edge]));
}

void patterns_find(struct patterns *patterns, const struct snapshot *snapshot,
                   const struct reach *reach) {
  *patterns =
      (struct patterns){.of_nodes = memory_array(snapshot->node_count, sizeof *patterns->of_nodes)};
  struct pattern root = {0, NO_NUMBER, node_class(snapshot, 0)};
  patterns->of_nodes[0] = add(patterns, &root, 0);
  for (uint32_t i = 1; i < reach->count; i++) {
    uint32_t node = reach->order[i];
    patterns->of_nodes[node] =
        patterns_over(patterns, snapshot, reach->parents[node], reach->edges[node]);
  }
}

void patterns_free(struct patterns *patterns) {
  free(patterns->all);
  free(patterns->of_nodes);
  spgc_hash_index_free(&patterns->index, &memory_of_index);
}
