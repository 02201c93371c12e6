/* A cache with a budget of bytes. Entries at random places are replaced by others, whose sizes
 * change from phase to phase, so that holes do not fit the next objects. Short-lived trees come and
 * go. */
#include <stddef.h>

#include "bench/workloads/memory.h"
#include "bench/workloads/random.h"
#include "bench/workloads/stall.h"
#include "bench/workloads/workload.h"

struct payload {
  ARRAY_HEADER
  uint32_t items[];
};

struct entry {
  OBJECT_HEADER
  struct payload REFERENCE *payload;
  uint32_t bytes; /* the entry with its payload, as the budget counts */
};

struct cache {
  ARRAY_HEADER
  struct entry REFERENCE *items[];
};

struct tree {
  OBJECT_HEADER
  struct tree REFERENCE *left, *right;
};

DESCRIBE_DATA_ARRAY(payload);
DESCRIBE_OBJECT(entry, payload);
DESCRIBE_REFERENCE_ARRAY(cache);
DESCRIBE_OBJECT(tree, left, right);

enum { ENTRY_BYTES = 24, PAYLOAD_HEAD_BYTES = 16, BYTES_PER_SLOT = 128 };

/* From `least` to `most` bytes, heads included. */
static const struct {
  uint32_t least, most;
} phases[] = {{32, 512}, {600, 2000}, {32, 2000}, {1100, 8000}, {32, 512}};
enum { PHASES = sizeof phases / sizeof *phases };

struct state {
  uint64_t slots;  /* of the cache: a power of two */
  uint64_t budget; /* bytes */
  uint64_t live;   /* bytes of the entries in the cache; at most the budget between operations */
  uint32_t random;
};

static uint32_t next_random(struct state *state) {
  return state->random = random_after(state->random);
}

static struct tree REFERENCE *build(uint64_t depth) {
  struct tree REFERENCE *left = depth == 1 ? NULL : build(depth - 1);
  struct tree REFERENCE *right = depth == 1 ? NULL : build(depth - 1);
  struct tree REFERENCE *tree = NEW(tree);
  tree->left = left;
  tree->right = right;
  return tree;
}

static uint32_t count_and_drop(struct tree REFERENCE *tree) {
  if (tree == NULL)
    return 0;
  uint32_t nodes = 1 + count_and_drop(tree->left) + count_and_drop(tree->right);
  DROP(tree);
  return nodes;
}

static struct payload REFERENCE *new_payload(uint32_t bytes, uint32_t content) {
  struct payload REFERENCE *payload =
      NEW_DATA_ARRAY(payload, (bytes - PAYLOAD_HEAD_BYTES) / sizeof(uint32_t));
  payload->items[0] = content;
  return payload;
}

static void evict(struct cache REFERENCE *cache, struct state *state, uint64_t slot) {
  struct entry REFERENCE *entry = cache->items[slot];
  if (entry == NULL)
    return;
  cache->items[slot] = NULL;
  state->live -= entry->bytes;
  DROP(entry->payload);
  DROP(entry);
}

/* Half of the entries met stay, and get another payload. */
static void replace(struct cache REFERENCE *cache, struct state *state, uint64_t slot,
                    uint32_t bytes, uint32_t content) {
  struct payload REFERENCE *payload = new_payload(bytes, content);
  struct entry REFERENCE *entry = cache->items[slot];
  if (entry != NULL && content % 2 != 0) {
    state->live -= entry->bytes;
    DROP(entry->payload);
  } else {
    evict(cache, state, slot);
    entry = NEW(entry);
    cache->items[slot] = entry;
  }
  entry->payload = payload;
  entry->bytes = bytes + ENTRY_BYTES;
  state->live += entry->bytes;
}

static uint32_t run_phase(struct cache REFERENCE *cache, struct state *state, uint64_t phase,
                          const uint64_t *arguments) {
  const uint32_t least = phases[phase].least, sizes = phases[phase].most - least + 1;
  const uint64_t depth = arguments[1], turnover = arguments[2] * state->budget;
  uint32_t nodes = 0;
  for (uint64_t allocated = 0; allocated < turnover;) {
    uint32_t bytes = (least + next_random(state) % sizes) & ~(uint32_t)7;
    uint64_t slot = next_random(state) & (state->slots - 1);
    if (depth != 0)
      nodes += count_and_drop(build(depth));
    replace(cache, state, slot, bytes, next_random(state));
    while (state->live > state->budget)
      evict(cache, state, next_random(state) & (state->slots - 1));
    allocated += bytes + ENTRY_BYTES;
    stall_step();
  }
  return nodes;
}

static uint32_t end_cache(struct cache REFERENCE *cache, struct state *state) {
  uint32_t sum = 0;
  for (uint64_t slot = 0; slot < state->slots; slot++) {
    struct entry REFERENCE *entry = cache->items[slot];
    if (entry != NULL)
      sum = sum * 31 + entry->payload->items[0] + entry->bytes;
    evict(cache, state, slot);
  }
  DROP(cache);
  return sum;
}

static uint64_t run(const uint64_t *arguments) {
  struct state state = {
      .slots = 1, .budget = (arguments[0] << 20) / arguments[3], .random = RANDOM_SEED};
  while (state.slots < state.budget / BYTES_PER_SLOT)
    state.slots *= 2;
  struct cache REFERENCE *cache = NEW_REFERENCE_ARRAY(cache, state.slots);
  uint32_t sum = run_phase(cache, &state, 0, arguments);
  stall_begin();
  for (uint64_t phase = 1; phase < PHASES; phase++)
    sum += run_phase(cache, &state, phase, arguments);
  return sum + end_cache(cache, &state);
}

const struct workload frag = {
    .name = "frag",
    .parameters = {{"budget-MiB", 64, 1, 16384},
                   {"tree-depth", 6, 0, 20},
                   {"turnover", 2, 1, 100},
                   {"divisor-of-budget", 1, 1, 1024}},
    .known = {{{64, 6, 2, 1}, 1755261120}, {{256, 6, 4, 1}, 651768590}},
    .run = run,
};
