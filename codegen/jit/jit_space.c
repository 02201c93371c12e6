#include "codegen/jit/jit_space.h"

#include <sys/mman.h>

#include "support/fatal.h"

/* Missing from each run. */
struct jit_runs {
  uint32_t first, longest, last;
};

struct lengths {
  size_t first, longest, last;
};

bool spgc_jit_space_open(struct jit_space *space, size_t granules) {
  size_t leaves = granules / JIT_LEAF_GRANULES, bits = leaves * sizeof *space->taken,
         bytes = bits + leaves * sizeof *space->runs;
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return false;
  *space = (struct jit_space){.taken = memory,
                              .runs = (struct jit_runs *)((char *)memory + bits),
                              .leaves = leaves,
                              .bytes = bytes};
  return true;
}

void spgc_jit_space_close(struct jit_space *space) {
  if (space->taken != NULL)
    munmap(space->taken, space->bytes);
  *space = (struct jit_space){0};
}

static size_t longest_run(uint64_t free) {
  size_t length = 0;
  for (; free != 0; free &= free << 1)
    length++;
  return length;
}

static struct lengths leaf_lengths(uint64_t taken) {
  if (taken == 0)
    return (struct lengths){JIT_LEAF_GRANULES, JIT_LEAF_GRANULES, JIT_LEAF_GRANULES};
  return (struct lengths){(size_t)__builtin_ctzll(taken), longest_run(~taken),
                          (size_t)__builtin_clzll(taken)};
}

static struct lengths lengths_of(const struct jit_space *space, size_t node, size_t granules) {
  if (node >= space->leaves)
    return leaf_lengths(space->taken[node - space->leaves]);
  const struct jit_runs *runs = &space->runs[node];
  return (struct lengths){granules - runs->first, granules - runs->longest, granules - runs->last};
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static void update_node(struct jit_space *space, size_t node, size_t granules) {
  size_t half = granules / 2;
  struct lengths left = lengths_of(space, 2 * node, half),
                 right = lengths_of(space, 2 * node + 1, half);
  size_t first = left.first == half ? half + right.first : left.first,
         last = right.last == half ? half + left.last : right.last,
         longest = larger(larger(left.longest, right.longest), left.last + right.first);
  space->runs[node] = (struct jit_runs){
      (uint32_t)(granules - first), (uint32_t)(granules - longest), (uint32_t)(granules - last)};
}

static void update(struct jit_space *space, size_t first_leaf, size_t last_leaf) {
  size_t granules = (size_t)2 * JIT_LEAF_GRANULES, low = (space->leaves + first_leaf) / 2,
         high = (space->leaves + last_leaf) / 2;
  for (; low != 0; low /= 2, high /= 2, granules *= 2)
    for (size_t node = low; node <= high; node++)
      update_node(space, node, granules);
}

static uint64_t mask(size_t leaf, size_t start, size_t end) {
  size_t base = leaf * JIT_LEAF_GRANULES;
  uint64_t from = start > base ? ~UINT64_C(0) << (start - base) : ~UINT64_C(0);
  return end - base < JIT_LEAF_GRANULES ? from & ~(~UINT64_C(0) << (end - base)) : from;
}

static void set(struct jit_space *space, size_t start, size_t count, bool is_taken) {
  size_t first = start / JIT_LEAF_GRANULES, last = (start + count - 1) / JIT_LEAF_GRANULES;
  for (size_t leaf = first; leaf <= last; leaf++) {
    uint64_t bits = mask(leaf, start, start + count);
    spgc_require((space->taken[leaf] & bits) == (is_taken ? 0 : bits),
                 "granules %zu to %zu are taken or given back twice", start, start + count);
    space->taken[leaf] ^= bits;
  }
  update(space, first, last);
}

static size_t find_in_leaf(uint64_t taken, size_t count) {
  size_t at = 0;
  for (uint64_t free = ~taken; at + count <= JIT_LEAF_GRANULES; at++) {
    uint64_t wanted = count < JIT_LEAF_GRANULES ? ~(~UINT64_C(0) << count) : ~UINT64_C(0);
    if ((free >> at & wanted) == wanted)
      return at;
  }
  spgc_require(false, "a leaf without its longest run");
  return at;
}

/* The run must exist. */
static size_t find(const struct jit_space *space, size_t count) {
  size_t node = 1, base = 0, granules = space->leaves * JIT_LEAF_GRANULES;
  while (node < space->leaves) {
    granules /= 2;
    struct lengths left = lengths_of(space, 2 * node, granules),
                   right = lengths_of(space, 2 * node + 1, granules);
    if (left.longest < count && left.last + right.first >= count)
      return base + granules - left.last;
    node *= 2;
    if (left.longest < count) {
      node++;
      base += granules;
    }
  }
  return base + find_in_leaf(space->taken[node - space->leaves], count);
}

bool spgc_jit_space_take(struct jit_space *space, size_t count, struct jit_alignment alignment,
                         size_t *start) {
  size_t granules = space->leaves * JIT_LEAF_GRANULES, needed = count + alignment.granules - 1;
  if (count > granules || alignment.granules > granules ||
      lengths_of(space, 1, granules).longest < needed)
    return false;
  size_t end = find(space, needed) + needed;
  *start = end - count - ((end - count + alignment.phase) & (alignment.granules - 1));
  set(space, *start, count, true);
  return true;
}

void spgc_jit_space_give_back(struct jit_space *space, size_t start, size_t count) {
  set(space, start, count, false);
}

bool spgc_jit_space_is_free(const struct jit_space *space, size_t start, size_t end) {
  for (size_t leaf = start / JIT_LEAF_GRANULES; leaf * JIT_LEAF_GRANULES < end; leaf++)
    if ((space->taken[leaf] & mask(leaf, start, end)) != 0)
      return false;
  return true;
}

bool spgc_jit_space_next(const struct jit_space *space, size_t *start, size_t *end) {
  size_t first = *start / JIT_LEAF_GRANULES, last;
  while (first < space->leaves && space->taken[first] == 0)
    first++;
  for (last = first; last < space->leaves && space->taken[last] != 0;)
    last++;
  *start = first * JIT_LEAF_GRANULES;
  *end = last * JIT_LEAF_GRANULES;
  return first < space->leaves;
}
