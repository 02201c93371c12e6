#include "gc/policy/sizing.h"

#include "heap/blocks.h"
#include "gc/trace/evacuate.h"

enum {
  LEAST_GROWTH_BYTES = 32 << 20, /* cycles of an old space that grew by less are not worth their trouble */
  LEAST_CONFIDENCE = 3,          /* times as much is promoted in place after a nursery survived */
  MOST_CONFIDENCE = 7,           /* ... after several did in a row */
  SHARE = 16,                    /* part of the limit that a nursery is at most */
};

static size_t at_least(size_t size, size_t least) {
  return size > least ? size : least;
}

static size_t at_most(size_t size, size_t most) {
  return size < most ? size : most;
}

void spgc_sizing_start(struct spgc_sizing *sizing, const struct spgc_options *options) {
  size_t share = options->heap_limit / SHARE, fixed = options->nursery_size;
  size_t least = fixed != 0 ? fixed : at_most(share, SPGC_LEAST_NURSERY_BYTES);
  size_t most = fixed != 0 ? fixed : at_most(share, SPGC_CACHED_NURSERY_BYTES);
  size_t speculation = fixed != 0 ? fixed : at_most(share, SPGC_LARGEST_NURSERY_BYTES);
  sizing->moves_all = options->move == SPGC_MOVE_ALWAYS;
  if (sizing->moves_all) /* a run can be repeated by its seed: nothing depends on a clock */
    most = least;
  sizing->limit_blocks = sizing->option_blocks = options->heap_limit / SPGC_BLOCK_BYTES;
  sizing->budget_blocks = sizing->nursery_blocks = sizing->least_nursery_blocks = least / SPGC_BLOCK_BYTES;
  sizing->most_nursery_blocks = most / SPGC_BLOCK_BYTES;
  sizing->most_speculation_blocks = speculation / SPGC_BLOCK_BYTES;
  sizing->pause_ns = options->pause != 0 ? UINT64_C(1000) * options->pause : fixed != 0 ? 0 : SPGC_PAUSE_NS;
  sizing->growth = options->growth != 0 ? options->growth : SPGC_GROWTH;
  sizing->confidence = LEAST_CONFIDENCE;
  sizing->mutators = sizing->reserve_blocks = sizing->speculation_blocks = sizing->promotion_blocks = 0;
  sizing->recent_blocks = sizing->recent_live = sizing->dirty_cards = sizing->dirty_small_cards = 0;
  sizing->dirty_after = 1;
}

bool spgc_sizing_admits(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t small_bytes,
                        size_t large_blocks, size_t reserve_blocks) {
  if (large_blocks > sizing->limit_blocks)
    return false;
  size_t young = heap->nursery.count + spgc_blocks_for(small_bytes) + reserve_blocks, stay = heap->old.count;
  size_t copied = sizing->moves_all ? stay + young : young;
  return heap->large_blocks + large_blocks + stay + young + spgc_evacuation_blocks(copied * SPGC_BLOCK_BYTES) <=
         sizing->limit_blocks;
}

bool spgc_sizing_nursery_has_space(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t blocks) {
  size_t used = heap->nursery.count + heap->nursery_large_blocks;
  size_t most = sizing->budget_blocks > sizing->mutators ? sizing->budget_blocks : sizing->mutators;
  return used == 0 || used + blocks <= most;
}

bool spgc_sizing_is_tight(const struct spgc_sizing *sizing, const struct spgc_heap *heap) {
  size_t useful = sizing->budget_blocks / 4 + 1, used = heap->nursery.count + heap->nursery_large_blocks;
  return used < useful &&
         !spgc_sizing_admits(sizing, heap, (useful - used) * SPGC_BLOCK_BYTES, 0, sizing->reserve_blocks);
}

size_t spgc_sizing_free_blocks(const struct spgc_sizing *sizing, const struct spgc_heap *heap) {
  return heap->used_blocks < sizing->limit_blocks ? sizing->limit_blocks - heap->used_blocks : 0;
}

size_t spgc_sizing_unreserved_blocks(const struct spgc_sizing *sizing, const struct spgc_heap *heap) {
  size_t blocks = spgc_sizing_free_blocks(sizing, heap);
  return sizing->reserve_blocks < blocks ? blocks - sizing->reserve_blocks : 0;
}

void spgc_sizing_note_refusal(struct spgc_sizing *sizing, struct spgc_heap *heap) {
  size_t wanted = sizing->budget_blocks + spgc_evacuation_blocks(sizing->budget_blocks * SPGC_BLOCK_BYTES);
  size_t left = sizing->option_blocks > heap->used_blocks ? sizing->option_blocks - heap->used_blocks : 0;
  bool granted = spgc_blocks_prepare(heap, at_most(wanted, left));
  size_t blocks = heap->used_blocks + spgc_blocks_accessible(heap, SPGC_ZONE_SINGLES) +
                  spgc_blocks_accessible(heap, SPGC_ZONE_RUNS);
  sizing->limit_blocks = granted ? sizing->option_blocks : at_most(blocks, sizing->option_blocks);
  if (!granted)
    sizing->budget_blocks = at_most(sizing->budget_blocks, at_least(sizing->limit_blocks / SHARE, 1));
}

/* Bytes that the policy lets the old space grow by when so many live, but for the limit. */
static size_t growth_over(const struct spgc_sizing *sizing, size_t live_bytes) {
  enum { PERCENT = 100 };
  if (sizing->growth == SPGC_GROWTH_TO_LIMIT)
    return sizing->limit_blocks * SPGC_BLOCK_BYTES;
  return live_bytes / PERCENT * sizing->growth;
}

/* How large the old space may be when the next cycle begins: grown over what lived lately; by half of what a limit
 * leaves. */
static size_t target(const struct spgc_sizing *sizing, size_t live_bytes) {
  size_t recent = sizing->recent_live > live_bytes ? sizing->recent_live : live_bytes;
  size_t growth = recent + growth_over(sizing, recent) - live_bytes;
  if (growth < LEAST_GROWTH_BYTES)
    growth = LEAST_GROWTH_BYTES;
  size_t limit = sizing->limit_blocks * SPGC_BLOCK_BYTES,
         taken = live_bytes + 3 * sizing->budget_blocks * SPGC_BLOCK_BYTES;
  size_t left = taken < limit ? (limit - taken) / 2 : 0;
  return live_bytes + (growth < left ? growth : left);
}

/* A large nursery is one that may be promoted: it shall not outgrow the target first. */
bool spgc_sizing_begins_cycle(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle) {
  size_t young = heap->nursery.count > sizing->most_nursery_blocks ? heap->nursery.count * (size_t)SPGC_BLOCK_BYTES : 0;
  return cycle->live_bytes + cycle->promoted_bytes + young > target(sizing, cycle->full_marking_live_bytes);
}

/* Half of the growth may be of objects that died since the last full marking, and the cards that are to be read may be
 * a quarter of what that found. */
bool spgc_sizing_marks_in_part(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                               const struct spgc_cycle *cycle) {
  enum { WASTE = 2, CARDS = 4 };
  size_t whole = cycle->full_marking_live_bytes, growth = target(sizing, whole) - whole;
  return heap->keeps_marks && cycle->full_markings_next == 0 && !spgc_sizing_is_tight(sizing, heap) &&
         cycle->live_bytes <= whole + growth / WASTE && cycle->deferred_cards * SPGC_CARD_BYTES <= whole / CARDS;
}

bool spgc_sizing_cycle_lags(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                            const struct spgc_cycle *cycle) {
  size_t admitted = growth_over(sizing, cycle->live_bytes) / 4,
         left = spgc_sizing_free_blocks(sizing, heap) * SPGC_BLOCK_BYTES / 4;
  if (admitted < LEAST_GROWTH_BYTES / 2)
    admitted = LEAST_GROWTH_BYTES / 2;
  return cycle->promoted_bytes - cycle->begun_bytes > (admitted < left ? admitted : left);
}

/* The old space will not be so large, for the bytes that were found live in it, that copies should rather fill the room
 * between old objects. */
static bool has_headroom(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t nursery_blocks,
                     size_t live_bytes) {
  enum { ROOMY = 2 }; /* times what it grows to */
  size_t blocks = (size_t)heap->old.count + nursery_blocks;
  bool spacious = blocks < ROOMY * (live_bytes + growth_over(sizing, live_bytes)) / SPGC_BLOCK_BYTES &&
                  blocks < sizing->limit_blocks / 2;
  return spacious || heap->recyclable == SPGC_BLOCK_NONE;
}

static bool may_promote(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t live_bytes) {
  return heap->nursery.count >= sizing->budget_blocks / 2 && has_headroom(sizing, heap, heap->nursery.count, live_bytes);
}

/* Speculations read cards twice: few dirty ones are expected after so many blocks of a nursery, and there are few
 * altogether. */
static bool has_few_cards(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t blocks) {
  enum { MOST_DIRTY = 1024, MOST_BLOCKS = 16384 };
  return blocks * sizing->dirty_cards < MOST_DIRTY * sizing->dirty_after &&
         heap->old.count + heap->large_blocks < MOST_BLOCKS;
}

bool spgc_sizing_promotes(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t live_bytes) {
  return sizing->promotion_blocks != 0 && may_promote(sizing, heap, live_bytes);
}

bool spgc_sizing_expects_crossing_maps(const struct spgc_sizing *sizing) {
  enum { MANY_PER_BLOCK = 8 };
  return sizing->dirty_small_cards >= MANY_PER_BLOCK * sizing->dirty_after;
}

bool spgc_sizing_speculates(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t live_bytes) {
  return sizing->pause_ns != 0 && has_few_cards(sizing, heap, heap->nursery.count) &&
         heap->nursery.count >= sizing->least_nursery_blocks / 2 &&
         has_headroom(sizing, heap, heap->nursery.count, live_bytes);
}

static bool gave_up(const struct spgc_collected *collected) {
  return collected->speculated && collected->promoted;
}

/* A nursery in so many is read, to see whether most of it still survives; the oftener it did, the fewer. A small part
 * of a nursery tells nothing; nor does a large one whose collection was given up, for most of it may be garbage. */
static void predict_survival(struct spgc_sizing *sizing, const struct spgc_collected *collected) {
  enum { LEAST_BYTES = 3 << 17 };
  size_t blocks = collected->condemned_bytes / SPGC_BLOCK_BYTES;
  bool tells = collected->condemned_bytes >= LEAST_BYTES &&
               blocks >= at_most(sizing->nursery_blocks, sizing->least_nursery_blocks) / 2 &&
               !(gave_up(collected) && blocks > sizing->most_nursery_blocks);
  if (collected->promoted && !gave_up(collected)) {
    sizing->promotion_blocks -= at_most(blocks, sizing->promotion_blocks);
  } else if (collected->asked_full ||
             (tells && !gave_up(collected) && collected->moved_bytes < collected->condemned_bytes / 2)) {
    sizing->promotion_blocks = 0;
    sizing->confidence = LEAST_CONFIDENCE;
  } else if (tells) {
    sizing->promotion_blocks = sizing->confidence * at_least(blocks, sizing->least_nursery_blocks);
    sizing->confidence = (uint32_t)at_most(2 * sizing->confidence + 1, MOST_CONFIDENCE);
  }
}

/* A nursery whose collection may be given up can be large, but where little survives, what the caches hold is better.
 */
static void adapt_speculation(struct spgc_sizing *sizing, const struct spgc_collected *collected) {
  enum { WORTHWHILE = 64, USELESS = 256 };
  if (gave_up(collected) || collected->moved_bytes >= collected->condemned_bytes / WORTHWHILE)
    sizing->speculation_blocks = 2 * at_least(sizing->speculation_blocks, sizing->nursery_blocks);
  else if (collected->moved_bytes < collected->condemned_bytes / USELESS)
    sizing->speculation_blocks /= 2;
}

/* It is garbage that waits to be found, so much lives anyway when it is large. */
static void limit_speculation(struct spgc_sizing *sizing, size_t live_bytes) {
  enum { PART = 2 };
  size_t most = at_most(live_bytes / PART / SPGC_BLOCK_BYTES, sizing->most_speculation_blocks);
  sizing->speculation_blocks = at_most(sizing->speculation_blocks, most);
}

/* Cards are dirtied as a nursery is filled. */
static void note_cards(struct spgc_sizing *sizing, const struct spgc_collected *collected) {
  size_t blocks = collected->condemned_bytes / SPGC_BLOCK_BYTES;
  if (blocks < sizing->least_nursery_blocks / 8)
    return;
  sizing->dirty_cards = collected->cards_read.all;
  sizing->dirty_small_cards = collected->cards_read.small;
  sizing->dirty_after = blocks + 1;
}

/* What survives is copied: a small nursery keeps collections short, unless what makes them long is to read cards, which
 * takes about as long when they are read oftener. A large one makes collections rare and lets more objects die; the
 * more so where the cards alone take longer than a collection should. Where most survives there is nothing to wait for,
 * and very long collections are shortened, whatever makes them long. */
static void adapt_nursery(struct spgc_sizing *sizing, const struct spgc_heap *heap,
                          const struct spgc_collected *collected) {
  if (sizing->most_nursery_blocks == sizing->least_nursery_blocks) /* its size was given, or the limit is low */
    return;
  enum { PAUSE_GOAL_NS = 2000000, LONG_PAUSE_NS = 8000000, DIRTY_CARD_NS = 50, CARDS_OF_BLOCK_NS = 150 };
  size_t doubled = 2 * sizing->nursery_blocks, half = sizing->nursery_blocks / 2;
  uint64_t cards_ns = DIRTY_CARD_NS * (uint64_t)collected->cards_read.all +
                      CARDS_OF_BLOCK_NS * ((uint64_t)heap->old.count + heap->large_blocks);
  uint64_t copy_ns = collected->pause_ns > cards_ns ? collected->pause_ns - cards_ns : 0;
  bool survives = collected->moved_bytes > collected->condemned_bytes / 2;
  size_t least = sizing->least_nursery_blocks / (collected->pause_ns > LONG_PAUSE_NS ? 4 : survives ? 2 : 1);
  size_t most = survives ? least : sizing->most_nursery_blocks;
  if (cards_ns > PAUSE_GOAL_NS)
    most = at_most(4 * sizing->most_nursery_blocks, sizing->most_speculation_blocks);
  if (copy_ns > PAUSE_GOAL_NS)
    sizing->nursery_blocks = at_most(sizing->nursery_blocks, at_least(half, least));
  else if (copy_ns < PAUSE_GOAL_NS / 3 && collected->condemned_bytes / SPGC_BLOCK_BYTES >= half)
    sizing->nursery_blocks = doubled;
  sizing->nursery_blocks = at_most(sizing->nursery_blocks, most);
}

/* While old objects are marked and nurseries promoted in place, a small one lets the marking keep up. */
static size_t next_budget(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                          const struct spgc_collected *collected) {
  bool promotes =
      sizing->promotion_blocks != 0 && has_headroom(sizing, heap, sizing->least_nursery_blocks, collected->live_bytes);
  size_t least = promotes ? sizing->least_nursery_blocks : sizing->nursery_blocks;
  size_t most = promotes ? sizing->most_nursery_blocks : sizing->speculation_blocks;
  bool may_grow = !collected->marking && has_headroom(sizing, heap, most, collected->live_bytes) &&
                  (promotes || has_few_cards(sizing, heap, most));
  return may_grow ? at_least(most, least) : least;
}

/* What was live lately is forgotten by and by. */
static void note_live(struct spgc_sizing *sizing, size_t live_bytes) {
  size_t faded = sizing->recent_live / 8 * 7;
  sizing->recent_live = live_bytes > faded ? live_bytes : faded;
}

/* Memory that was used lately keeps its pages: to get them anew takes longer than to copy what they hold. An eighth is
 * forgotten with each cycle, and a little with each collection, for there may be no cycles. */
static void note_blocks(struct spgc_sizing *sizing, struct spgc_heap *heap, const struct spgc_collected *collected) {
  size_t recent = sizing->recent_blocks, faded = recent - (collected->full ? recent / 8 : recent / 2048);
  sizing->recent_blocks = collected->asked_full ? heap->used_blocks : at_least(faded, collected->blocks_before);
  sizing->recent_blocks = at_least(sizing->recent_blocks, heap->used_blocks);
  heap->recent_blocks = (uint32_t)sizing->recent_blocks;
}

void spgc_sizing_collected(struct spgc_sizing *sizing, struct spgc_heap *heap, const struct spgc_collected *collected) {
  enum { IDLE_PER_COLLECTION = 64, COPIED = 8 };
  predict_survival(sizing, collected);
  if (collected->full)
    note_live(sizing, collected->live_bytes);
  else if (!collected->promoted)
    adapt_nursery(sizing, heap, collected);
  if (!collected->promoted || collected->speculated)
    note_cards(sizing, collected);
  if (collected->speculated)
    adapt_speculation(sizing, collected);
  limit_speculation(sizing, collected->live_bytes);
  sizing->budget_blocks = next_budget(sizing, heap, collected);
  if (sizing->limit_blocks != sizing->option_blocks)
    spgc_sizing_note_refusal(sizing, heap);
  heap->kept_resident = sizing->budget_blocks > sizing->nursery_blocks ? (uint32_t)sizing->budget_blocks / COPIED : 0;
  size_t next = target(sizing, collected->live_bytes) - collected->live_bytes; /* what the next cycle will touch */
  size_t expected = next < collected->live_bytes ? next : collected->live_bytes;
  size_t keep = 2 * sizing->budget_blocks + expected / SPGC_BLOCK_BYTES;
  note_blocks(sizing, heap, collected);
  keep = at_least(keep, sizing->recent_blocks - heap->used_blocks);
  spgc_blocks_discard_idle(heap, (uint32_t)keep, collected->asked_full ? UINT32_MAX : IDLE_PER_COLLECTION);
}
