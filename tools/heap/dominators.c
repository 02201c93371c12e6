#include "tools/heap/dominators.h"

#include <stdlib.h>
#include <string.h>

#include "tools/heap/memory.h"

/* Places are those of struct dominators. They are processed from the last to the first, and are
 * linked then.
 *
 * semi[v]      the smallest place from which a path leads to v over places after v only
 * ancestor[v]  its parent in the walk, or, when linked, one further up (path compression)
 * label[v]     of the places between v and ancestor[v], v included, the one of the smallest semi
 * buckets[v]   the first of the places whose semi is v and whose dominator is not known yet; the
 *              others follow by immediate[], which is free until then */
struct work {
  uint32_t count;
  uint32_t *nodes, *ancestor, *semi, *label, *buckets, *immediate;
  uint32_t *first_sources, *sources; /* the sources of the edges to each place */
  uint32_t linked;
  uint32_t *path;
  size_t path_capacity;
};

/* Depth-first, without recursion: `semi` holds each place's next edge. Gives each node's place, or
 * NO_NUMBER if it is not reached. */
static uint32_t *walk(struct work *work, const struct snapshot *snapshot) {
  uint32_t *places = memory_array(snapshot->node_count, sizeof *places);
  memset(places, 0xFF, snapshot->node_count * sizeof *places);
  places[0] = work->nodes[0] = work->ancestor[0] = work->semi[0] = 0;
  work->count = 1;
  for (uint32_t place = 0;;) {
    uint32_t node = work->nodes[place], edge = work->semi[place];
    if (edge == snapshot->first_edges[node + 1]) {
      if (place == 0)
        return places;
      place = work->ancestor[place];
      continue;
    }
    work->semi[place]++;
    uint32_t target = snapshot->targets[edge];
    if (places[target] != NO_NUMBER || !edge_is_strong(snapshot, node, edge))
      continue;
    work->ancestor[work->count] = place;
    place = places[target] = work->count++;
    work->nodes[place] = target;
    work->semi[place] = snapshot->first_edges[target];
  }
}

static void collect_sources(struct work *work, const struct snapshot *snapshot,
                            const uint32_t *places) {
  uint32_t *first = memory_zeroed((size_t)work->count + 2, sizeof *first);
  work->sources = NULL;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t place = 0; place < work->count; place++) {
      uint32_t node = work->nodes[place];
      for (uint32_t edge = snapshot->first_edges[node]; edge < snapshot->first_edges[node + 1];
           edge++) {
        if (!edge_is_strong(snapshot, node, edge))
          continue;
        uint32_t target = places[snapshot->targets[edge]];
        if (pass == 0)
          first[target + 2]++;
        else
          work->sources[first[target + 1]++] = place;
      }
    }
    for (uint32_t place = 2; pass == 0 && place < work->count + 2; place++)
      first[place] += first[place - 1];
    if (pass == 0)
      work->sources = memory_array(first[work->count + 1], sizeof *work->sources);
  }
  work->first_sources = first;
}

/* Path compression from `place` upwards, among linked places. */
static void compress(struct work *work, uint32_t place) {
  size_t length = 0;
  for (; work->ancestor[place] >= work->linked; place = work->ancestor[place]) {
    if (length == work->path_capacity) {
      work->path_capacity = memory_growth(length);
      work->path = memory_resized(work->path, work->path_capacity, sizeof *work->path);
    }
    work->path[length++] = place;
  }
  while (length-- > 0) {
    uint32_t below = work->path[length], above = work->ancestor[below];
    if (work->semi[work->label[above]] < work->semi[work->label[below]])
      work->label[below] = work->label[above];
    work->ancestor[below] = work->ancestor[above];
  }
}

/* The linked place from `place` upwards with the smallest semi; an unlinked place itself. */
static uint32_t evaluate(struct work *work, uint32_t place) {
  if (place < work->linked)
    return place;
  compress(work, place);
  return work->label[place];
}

static void find_semi(struct work *work, uint32_t place) {
  for (uint32_t i = work->first_sources[place]; i < work->first_sources[place + 1]; i++) {
    uint32_t smallest = work->semi[evaluate(work, work->sources[i])];
    if (smallest < work->semi[place])
      work->semi[place] = smallest;
  }
}

static void empty_bucket(struct work *work, uint32_t parent) {
  uint32_t place = work->buckets[parent];
  work->buckets[parent] = 0;
  while (place != 0) {
    uint32_t next = work->immediate[place], best = evaluate(work, place);
    work->immediate[place] = work->semi[best] < work->semi[place] ? best : parent;
    place = next;
  }
}

static void find_immediate(struct work *work) {
  for (uint32_t place = 0; place < work->count; place++)
    work->semi[place] = work->label[place] = place;
  memset(work->buckets, 0, work->count * sizeof *work->buckets); /* the root is in no bucket */
  work->immediate[0] = 0;
  for (uint32_t place = work->count; place-- > 1;) {
    uint32_t parent = work->ancestor[place];
    work->linked = place + 1;
    find_semi(work, place);
    work->immediate[place] = work->buckets[work->semi[place]];
    work->buckets[work->semi[place]] = place;
    work->linked = place;
    empty_bucket(work, parent);
  }
  for (uint32_t place = 1; place < work->count; place++)
    if (work->immediate[place] != work->semi[place])
      work->immediate[place] = work->immediate[work->immediate[place]];
}

void dominators_find(struct dominators *dominators, const struct snapshot *snapshot) {
  size_t count = snapshot->node_count;
  struct work work = {.nodes = memory_array(count, sizeof *work.nodes),
                      .ancestor = memory_array(count, sizeof *work.ancestor),
                      .semi = memory_array(count, sizeof *work.semi)};
  uint32_t *places = walk(&work, snapshot);
  collect_sources(&work, snapshot, places);
  free(places);
  work.label = memory_array(work.count, sizeof *work.label);
  work.buckets = memory_array(work.count, sizeof *work.buckets);
  work.immediate = memory_array(work.count, sizeof *work.immediate);
  find_immediate(&work);
  free(work.ancestor);
  free(work.semi);
  free(work.label);
  free(work.buckets);
  free(work.first_sources);
  free(work.sources);
  free(work.path);
  uint64_t *retained = memory_array(work.count, sizeof *retained);
  for (uint32_t place = 0; place < work.count; place++)
    retained[place] = snapshot->sizes[work.nodes[place]];
  for (uint32_t place = work.count; place-- > 1;)
    retained[work.immediate[place]] += retained[place];
  *dominators = (struct dominators){work.count, work.nodes, work.immediate, retained};
}

void dominators_free(struct dominators *dominators) {
  free(dominators->nodes);
  free(dominators->immediate);
  free(dominators->retained);
}

/* Walks the tree of dominators, counting how often each class is between the root and the place. A
 * place is larger than its dominators, so lists of children are built backwards. */
void dominators_sum_classes(const struct dominators *dominators, const struct snapshot *snapshot,
                            uint64_t *sums) {
  uint32_t *child = memory_zeroed(dominators->count, sizeof *child);
  uint32_t *sibling = memory_zeroed(dominators->count, sizeof *sibling);
  uint32_t *above = memory_zeroed(snapshot->strings.count, sizeof *above);
  for (uint32_t place = dominators->count; place-- > 1;) {
    sibling[place] = child[dominators->immediate[place]];
    child[dominators->immediate[place]] = place;
  }
  for (uint32_t place = child[0]; place != 0;) {
    uint32_t class = node_class(snapshot, dominators->nodes[place]);
    if (above[class]++ == 0)
      sums[class] += dominators->retained[place];
    if (child[place] != 0) {
      place = child[place];
      continue;
    }
    for (;;) {
      above[node_class(snapshot, dominators->nodes[place])]--;
      if (sibling[place] != 0 || dominators->immediate[place] == 0)
        break;
      place = dominators->immediate[place];
    }
    place = sibling[place];
  }
  free(child);
  free(sibling);
  free(above);
}
