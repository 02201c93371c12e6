#include "gc/policy/pacer.h"

#include "gc/policy/policy.h"
#include "heap/blocks.h"
#include "heap/hole.h"
#include "support/min_max.h"

/* The formulas are in docs/policy.md. */
enum {
  LAG_PARTS = 32,    /* of a cycle's allowance: mutators assist once it is used */
  MARKING_PARTS = 8, /* of the live bytes: may be allocated during a marking */
  LEFT_PARTS = 4,    /* of what the limit leaves: the most that is reserved */
  FADING_PARTS = 8,  /* of the recent live bytes: forgotten by each marking */
  WASTE_PARTS = 2,   /* of the growth: garbage that partial markings may keep */
  DOUBT_TIMES = 4,   /* a marking was futile if at most 1/4 of the believed bytes was dead; the next
                        waits for 4 times the allocation */
  SURVIVAL_WEIGHT = 16, /* allocated bytes that a surviving byte outweighs */
  CARD_PARTS = 4,       /* of a full marking's cost: for deferred cards */
  SURVIVING_PARTS = 3,  /* of what a partial marking judges: may be live */
  HEADROOM_PARTS = 2,   /* of the limit */

  PACE = 6, /* times as much as allocated is marked, swept or decommitted; an early cycle waits for
               the same part of the growth */
  ASSIST_BLOCKS = 8,
  MOST_PACE = ASSIST_BLOCKS * PACE, /* then a mutator assists for each block */
  PROMPT_PARTS = 16,                /* of the room: a marking ends before more is used */

  MOST_FINAL_CARDS = 49152,
  MOST_FINAL_TRIES = 16,
  STEP_BYTES = PACE * SPGC_BLOCK_BYTES, /* and the nursery of a final mark's first try */
  FINAL_STEPS = SPGC_LEAST_NURSERY_BYTES / STEP_BYTES, /* mark about as much as that has */
};

void spgc_pacer_start(struct spgc_pacer *pacer, const struct spgc_options *options) {
  *pacer = (struct spgc_pacer){
      .growth = options->growth != 0 ? options->growth : SPGC_GROWTH,
      .fills_holes = true,
      .doubt_bytes = SPGC_LEAST_GROWTH_BYTES,
  };
}

struct spgc_pace spgc_pacer_pace(void) {
  return (struct spgc_pace){
      .work = PACE,
      .assist_work = MOST_PACE,
      .most_final_cards = MOST_FINAL_CARDS,
      .most_final_tries = MOST_FINAL_TRIES,
      .final_steps = FINAL_STEPS,
  };
}

static size_t limit_bytes(const struct spgc_limit *limit) {
  return limit->blocks * SPGC_BLOCK_BYTES;
}

static size_t left_bytes(const struct spgc_limit *limit, size_t taken_bytes) {
  return limit_bytes(limit) > taken_bytes ? limit_bytes(limit) - taken_bytes : 0;
}

static size_t part_of(const struct spgc_limit *limit, size_t live_bytes, uint32_t growth) {
  enum { PERCENT = 100 };
  return growth == SPGC_GROWTH_TO_LIMIT ? limit_bytes(limit) : live_bytes / PERCENT * growth;
}

struct growth {
  size_t wanted, allowed;
};

static size_t marking_bytes(size_t live_bytes) {
  return live_bytes / MARKING_PARTS;
}

/* A cycle that begins after this growth has marked when the old space reaches the goal. */
static struct growth growth_of(const struct spgc_policy *policy, size_t live_bytes) {
  const struct spgc_pacer *pacer = &policy->pacer;
  const struct spgc_limit *limit = &policy->limit;
  size_t recent = spgc_max(pacer->recent_bytes, live_bytes);
  size_t more = pacer->marks_slowly ? SPGC_LEAST_GROWTH_BYTES : 0;
  size_t goal = recent + part_of(limit, recent, pacer->growth) + more;
  size_t reached = live_bytes + marking_bytes(live_bytes);
  size_t wanted = goal > reached ? goal - reached : 0;
  size_t left = left_bytes(limit, live_bytes + policy->nursery.budget_blocks * SPGC_BLOCK_BYTES);
  return (struct growth){spgc_max(wanted, SPGC_LEAST_GROWTH_BYTES), left};
}

size_t spgc_pacer_target(const struct spgc_policy *policy, size_t live_bytes) {
  struct growth growth = growth_of(policy, live_bytes);
  return live_bytes + spgc_min(growth.wanted, growth.allowed);
}

static bool is_fragmented(const struct spgc_heap *heap, struct growth growth, size_t live_bytes) {
  size_t taken = (size_t)heap->old_blocks * SPGC_BLOCK_BYTES + heap->old_large_bytes;
  return taken > live_bytes + growth.wanted;
}

bool spgc_pacer_needs_small_holes(const struct spgc_policy *policy, const struct spgc_heap *heap,
                                  size_t live_bytes) {
  struct growth growth = growth_of(policy, live_bytes);
  return growth.wanted > growth.allowed || is_fragmented(heap, growth, live_bytes);
}

static size_t free_bytes(const struct spgc_policy *policy, const struct spgc_heap *heap) {
  size_t holes = policy->pacer.fills_holes ? heap->unused_bytes : 0;
  return spgc_limit_unreserved_blocks(&policy->limit, heap) * SPGC_BLOCK_BYTES + holes;
}

size_t spgc_pacer_room(const struct spgc_policy *policy, const struct spgc_heap *heap,
                       size_t nursery_blocks, size_t live_bytes) {
  size_t room = free_bytes(policy, heap);
  size_t next = nursery_blocks + spgc_blocks_for_evacuation(nursery_blocks * SPGC_BLOCK_BYTES);
  size_t reserve = spgc_min(marking_bytes(live_bytes) + next * SPGC_BLOCK_BYTES,
                            left_bytes(&policy->limit, live_bytes) / LEFT_PARTS);
  return room > reserve ? room - reserve : 0;
}

static bool is_in_doubt(const struct spgc_pacer *pacer, const struct spgc_cycle *cycle) {
  return pacer->allocated_bytes > pacer->doubt_bytes &&
         cycle->live_bytes + cycle->promoted_bytes >= SPGC_LEAST_GROWTH_BYTES;
}

/* A nursery at least: near the limit, little growth is left. */
static bool may_be_early(const struct spgc_policy *policy, const struct spgc_cycle *cycle,
                         struct growth growth) {
  size_t part = spgc_min(growth.wanted, growth.allowed) / PACE;
  return cycle->promoted_bytes > spgc_max(part, policy->nursery.budget_blocks * SPGC_BLOCK_BYTES);
}

bool spgc_pacer_room_is_short(const struct spgc_policy *policy, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle) {
  size_t whole = cycle->full_marking_live_bytes;
  return may_be_early(policy, cycle, growth_of(policy, whole)) &&
         spgc_pacer_room(policy, heap, policy->nursery.budget_blocks, whole) == 0;
}

bool spgc_pacer_begins_cycle(const struct spgc_policy *policy, const struct spgc_heap *heap,
                             const struct spgc_cycle *cycle) {
  size_t whole = cycle->full_marking_live_bytes;
  struct growth growth = growth_of(policy, whole);
  return policy->compact == SPGC_COMPACT_ALWAYS || is_in_doubt(&policy->pacer, cycle) ||
         (may_be_early(policy, cycle, growth) && is_fragmented(heap, growth, whole)) ||
         cycle->live_bytes + cycle->promoted_bytes > spgc_pacer_target(policy, whole);
}

bool spgc_pacer_marks_in_part(const struct spgc_policy *policy, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle) {
  size_t whole = cycle->full_marking_live_bytes;
  struct growth growth = growth_of(policy, whole);
  size_t expected = spgc_min(growth.wanted, growth.allowed);
  return heap->keeps_marks && !is_in_doubt(&policy->pacer, cycle) &&
         !spgc_backoff_is_waiting(&policy->pacer.full_markings) &&
         cycle->live_bytes <= whole + expected / WASTE_PARTS &&
         cycle->deferred_cards * SPGC_CARD_BYTES <= whole / CARD_PARTS;
}

/* Growth since the cycle's phase began is such that mutators should help. */
static bool lags(const struct spgc_policy *policy, const struct spgc_heap *heap,
                 const struct spgc_cycle *cycle) {
  size_t growth = part_of(&policy->limit, cycle->live_bytes, policy->pacer.growth);
  size_t free = spgc_limit_free_blocks(&policy->limit, heap) * SPGC_BLOCK_BYTES;
  size_t allowance = spgc_min(spgc_max(growth, SPGC_LEAST_GROWTH_BYTES), free);
  return cycle->promoted_bytes - cycle->begun_bytes > allowance / LAG_PARTS;
}

/* As if half of what is old and neither marked nor known to be live were live. */
static size_t left_to_mark(const struct spgc_cycle *cycle) {
  size_t marked = spgc_marker_bytes(&cycle->marker);
  size_t whole = cycle->full_marking_live_bytes;
  size_t old = cycle->live_bytes + cycle->promoted_bytes;
  return spgc_max(whole > marked ? whole - marked : 0, old > marked ? (old - marked) / 2 : 0);
}

size_t spgc_pacer_assist_pace(const struct spgc_policy *policy, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle) {
  /* Until the marking ends, objects that could be born old are copied. */
  if (cycle->marker.active && policy->nursery.makes_born_old)
    return MOST_PACE;
  size_t room = free_bytes(policy, heap) / PROMPT_PARTS + 1;
  size_t needed = cycle->marker.active ? left_to_mark(cycle) / room : 0;
  if (needed > PACE)
    return spgc_min(needed, MOST_PACE);
  return lags(policy, heap, cycle) ? PACE : 0;
}

bool spgc_pacer_asks_for_final_mark(const struct spgc_heap *heap, const struct spgc_cycle *cycle) {
  return spgc_cycle_waits(cycle) &&
         (size_t)heap->nursery.count * SPGC_BLOCK_BYTES >=
             spgc_max(STEP_BYTES >> cycle->final_mark_tries, SPGC_BLOCK_BYTES);
}

bool spgc_pacer_has_headroom(const struct spgc_policy *policy, const struct spgc_heap *heap,
                             size_t nursery_blocks, size_t live_bytes) {
  size_t blocks = (size_t)heap->old_blocks + nursery_blocks;
  size_t grown_bytes = live_bytes + part_of(&policy->limit, live_bytes, policy->pacer.growth);
  bool is_small =
      blocks < grown_bytes / SPGC_BLOCK_BYTES && blocks < policy->limit.blocks / HEADROOM_PARTS;
  return (is_small && !spgc_holes_abound(heap)) || !spgc_recyclable_exist(heap);
}

static void settle_doubt(struct spgc_pacer *pacer, const struct spgc_marking *marking) {
  bool was_in_doubt = pacer->allocated_bytes > pacer->doubt_bytes;
  size_t alive = marking->believed_bytes / DOUBT_TIMES * (DOUBT_TIMES - 1);
  pacer->allocated_bytes = 0;
  if (was_in_doubt && marking->live_bytes >= alive)
    pacer->doubt_bytes *= DOUBT_TIMES;
  else if (was_in_doubt)
    pacer->doubt_bytes = SPGC_LEAST_GROWTH_BYTES;
}

void spgc_pacer_marked(struct spgc_pacer *pacer, const struct spgc_marking *marking) {
  if (!marking->partial)
    settle_doubt(pacer, marking);
  if (!marking->partial)
    spgc_backoff_pass(&pacer->full_markings);
  else if (marking->survived_bytes > marking->judged_bytes / SURVIVING_PARTS)
    spgc_backoff_fail(&pacer->full_markings);
  else
    spgc_backoff_succeed(&pacer->full_markings);
}

static void note_short_lives(struct spgc_pacer *pacer, const struct spgc_collected *collected) {
  size_t survived = collected->promoted ? collected->condemned_bytes : collected->moved_bytes;
  size_t weight = SURVIVAL_WEIGHT * (survived + collected->born_old_bytes);
  size_t allocated =
      pacer->allocated_bytes + collected->condemned_bytes + collected->born_old_bytes;
  pacer->allocated_bytes = allocated > weight ? allocated - weight : 0;
}

/* The last block of each PLAB is partly empty. After a marking there are new holes. */
static bool fills_holes(const struct spgc_pacer *pacer, const struct spgc_collected *collected) {
  if (collected->promoted)
    return pacer->fills_holes;
  return collected->full || collected->grown_bytes <=
                                collected->moved_bytes / 2 + (size_t)SPGC_PLABS * SPGC_BLOCK_BYTES;
}

void spgc_pacer_collected(struct spgc_pacer *pacer, const struct spgc_collected *collected) {
  note_short_lives(pacer, collected);
  pacer->fills_holes = fills_holes(pacer, collected);
  if (collected->full)
    pacer->recent_bytes =
        spgc_max(collected->live_bytes, pacer->recent_bytes / FADING_PARTS * (FADING_PARTS - 1));
}
