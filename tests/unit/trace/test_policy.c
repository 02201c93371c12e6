/* Made-up heaps and collections. */
#include "gc/policy/policy.h"

#include "heap/blocks.h"
#include "tests/support/check_main.h"

#define MIB ((size_t)1 << 20)

static struct spgc_policy policy_of(size_t limit_bytes, uint32_t growth) {
  struct spgc_options options = {.heap_limit = limit_bytes, .growth = growth};
  struct spgc_policy policy;
  spgc_policy_start(&policy, &options);
  return policy;
}

static size_t target(const struct spgc_policy *policy, size_t live_bytes) {
  return spgc_pacer_target(policy, live_bytes);
}

START_TEST(a_cycle_begins_an_eighth_of_what_lives_before_the_old_space_has_grown) {
  struct spgc_policy policy = policy_of(4096 * MIB, 50);
  ck_assert_uint_eq(target(&policy, 200 * MIB), 275 * MIB);
  policy.pacer.marks_slowly = true;
  ck_assert_uint_eq(target(&policy, 200 * MIB), 307 * MIB);
}
END_TEST

START_TEST(the_old_space_grows_by_no_less_than_32_mib) {
  struct spgc_policy policy = policy_of(4096 * MIB, 5);
  ck_assert_uint_eq(target(&policy, 10 * MIB), 42 * MIB);
  ck_assert_uint_eq(target(&policy, 1000 * MIB), 1032 * MIB);
  policy.pacer.recent_bytes = 2000 * MIB;
  ck_assert_uint_eq(target(&policy, 1000 * MIB), 1975 * MIB);
}
END_TEST

START_TEST(near_the_limit_the_old_space_grows_by_what_is_left_beside_the_nursery) {
  struct spgc_policy policy = policy_of(256 * MIB, SPGC_GROWTH_TO_LIMIT);
  size_t nursery = policy.nursery.budget_blocks * SPGC_BLOCK_BYTES;
  ck_assert_uint_eq(target(&policy, 100 * MIB), 256 * MIB - nursery);
}
END_TEST

/* `used_bytes` include `hole_bytes`. */
static bool room_is_short(const struct spgc_policy *policy, size_t used_bytes, size_t hole_bytes,
                          size_t live_bytes, size_t promoted_bytes) {
  static struct spgc_heap heap;
  static struct spgc_cycle cycle;
  heap.used_blocks = (uint32_t)(used_bytes / SPGC_BLOCK_BYTES);
  heap.unused_bytes = hole_bytes;
  cycle.full_marking_live_bytes = cycle.live_bytes = live_bytes;
  cycle.promoted_bytes = promoted_bytes;
  return spgc_pacer_room_is_short(policy, &heap, &cycle);
}

START_TEST(near_the_limit_a_cycle_begins_while_its_reserve_is_left_in_blocks_and_holes) {
  struct spgc_policy policy = policy_of(256 * MIB, 100);
  size_t live = 100 * MIB, nursery = policy.nursery.budget_blocks;
  size_t next = nursery + spgc_blocks_for_evacuation(nursery * SPGC_BLOCK_BYTES);
  size_t used = 256 * MIB - live / 8 - next * SPGC_BLOCK_BYTES;
  ck_assert(room_is_short(&policy, used, 0, live, live));
  ck_assert(!room_is_short(&policy, used, SPGC_BLOCK_BYTES, live, live));
  ck_assert(!room_is_short(&policy, used - SPGC_BLOCK_BYTES, 0, live, live));
  ck_assert(!room_is_short(&policy, used, 0, live, MIB)); /* there would be little to find */

  live = 240 * MIB; /* 16 MiB are left, and a quarter is the reserve */
  ck_assert(room_is_short(&policy, 252 * MIB, 0, live, 8 * MIB));
  ck_assert(!room_is_short(&policy, 252 * MIB, SPGC_BLOCK_BYTES, live, 8 * MIB));
}
END_TEST

START_TEST(near_the_limit_at_least_a_nursery_is_promoted_between_two_cycles) {
  struct spgc_policy policy = policy_of(256 * MIB, 100);
  size_t nursery = policy.nursery.budget_blocks * SPGC_BLOCK_BYTES;
  ck_assert(!room_is_short(&policy, 256 * MIB, 0, 252 * MIB, nursery));
  ck_assert(room_is_short(&policy, 256 * MIB, 0, 252 * MIB, nursery + 1));
}
END_TEST

static bool holes_count(const struct spgc_policy *policy) {
  return !room_is_short(policy, 252 * MIB, 8 * MIB, 240 * MIB, 8 * MIB);
}

START_TEST(holes_that_survivors_do_not_fit_are_no_room) {
  const size_t plabs = SPGC_PLABS * SPGC_BLOCK_BYTES;
  struct spgc_policy policy = policy_of(256 * MIB, 100);
  ck_assert(holes_count(&policy));
  struct spgc_collected collected = {.moved_bytes = 2 * MIB, .grown_bytes = MIB + plabs};
  spgc_pacer_collected(&policy.pacer, &collected);
  ck_assert(holes_count(&policy));
  collected.grown_bytes += SPGC_BLOCK_BYTES;
  spgc_pacer_collected(&policy.pacer, &collected);
  ck_assert(!holes_count(&policy));
  collected = (struct spgc_collected){.promoted = true};
  spgc_pacer_collected(&policy.pacer, &collected);
  ck_assert(!holes_count(&policy));
  collected = (struct spgc_collected){.full = true, .live_bytes = 240 * MIB};
  spgc_pacer_collected(&policy.pacer, &collected);
  ck_assert(holes_count(&policy));
}
END_TEST

static size_t kept_for_growth(const struct spgc_policy *policy) {
  size_t nursery = policy->nursery.budget_blocks;
  size_t kept = policy->residency.kept_idle - nursery -
                spgc_blocks_for_evacuation(nursery * SPGC_BLOCK_BYTES);
  return kept * SPGC_BLOCK_BYTES;
}

START_TEST(blocks_for_as_much_growth_as_before_a_partial_marking_stay_resident) {
  static struct spgc_heap heap;
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  struct spgc_collected promoted = {
      .promoted = true, .condemned_bytes = 20 * MIB, .live_bytes = 8 * MIB};
  struct spgc_collected marked = {.full = true, .partial = true, .live_bytes = 8 * MIB};
  spgc_policy_collected(&policy, &heap, &promoted);
  ck_assert_uint_eq(kept_for_growth(&policy), 8 * MIB);
  spgc_policy_collected(&policy, &heap, &marked);
  ck_assert_uint_eq(kept_for_growth(&policy), 20 * MIB);
  marked.partial = false;
  spgc_policy_collected(&policy, &heap, &promoted);
  spgc_policy_collected(&policy, &heap, &marked);
  ck_assert_uint_eq(kept_for_growth(&policy), 8 * MIB);
}
END_TEST

START_TEST(a_marking_compacts_if_much_is_unused_or_room_is_short) {
  static const struct {
    enum spgc_compact compact;
    size_t unused_bytes;
    bool room_is_short, is_due;
  } rows[] = {
      {SPGC_COMPACT_DEFAULT, 4 * MIB, false, false}, {SPGC_COMPACT_DEFAULT, 5 * MIB, false, true},
      {SPGC_COMPACT_DEFAULT, 0, true, true},         {SPGC_COMPACT_OFF, 5 * MIB, true, false},
      {SPGC_COMPACT_ALWAYS, 0, false, true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const struct spgc_options options = {.heap_limit = 256 * MIB, .compact = rows[i].compact};
    struct spgc_policy policy;
    spgc_policy_start(&policy, &options);
    static const struct spgc_heap heap = {.old_blocks = 24 * MIB / SPGC_BLOCK_BYTES,
                                          .old_large_bytes = 8 * MIB};
    size_t known_bytes = 32 * MIB - rows[i].unused_bytes;
    ck_assert(spgc_policy_compacts(&policy, &heap, known_bytes, rows[i].room_is_short) ==
              rows[i].is_due);
  }
}
END_TEST

START_TEST(what_was_live_lately_fades_by_an_eighth_with_each_marking) {
  struct spgc_policy policy = policy_of(16384 * MIB, 100);
  struct spgc_collected collected = {.full = true, .live_bytes = 512 * MIB};
  spgc_pacer_collected(&policy.pacer, &collected);
  collected.live_bytes = 8 * MIB;
  spgc_pacer_collected(&policy.pacer, &collected);
  ck_assert_uint_eq(policy.pacer.recent_bytes, 448 * MIB);
}
END_TEST

START_TEST(after_partial_markings_that_found_little_markings_are_full) {
  static const uint32_t expected[] = {1, 2, 4};
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  static struct spgc_heap heap = {.keeps_marks = true};
  static struct spgc_cycle cycle = {.full_marking_live_bytes = 512 * MIB, .live_bytes = 512 * MIB};
  const struct spgc_marking full = {0};
  const struct spgc_marking poor = {.partial = true, .judged_bytes = 3, .survived_bytes = 2};
  for (uint32_t i = 0; i < 3; i++) {
    ck_assert(spgc_pacer_marks_in_part(&policy, &heap, &cycle));
    spgc_pacer_marked(&policy.pacer, &poor);
    for (uint32_t passed = 0; passed < expected[i]; passed++) {
      ck_assert(!spgc_pacer_marks_in_part(&policy, &heap, &cycle));
      spgc_pacer_marked(&policy.pacer, &full);
    }
  }
  const struct spgc_marking rich = {.partial = true, .judged_bytes = 3, .survived_bytes = 1};
  spgc_pacer_marked(&policy.pacer, &rich);
  spgc_pacer_marked(&policy.pacer, &poor);
  ck_assert_uint_eq(policy.pacer.full_markings.waiting, 1);
}
END_TEST

static struct spgc_collected minor(const struct spgc_policy *policy, size_t survival,
                                   uint64_t pause_ns) {
  size_t condemned = policy->nursery.copying_blocks * SPGC_BLOCK_BYTES;
  return (struct spgc_collected){
      .condemned_bytes = condemned, .moved_bytes = condemned / survival, .pause_ns = pause_ns};
}

static void collect(struct spgc_policy *policy, struct spgc_heap *heap,
                    const struct spgc_collected *collected) {
  spgc_nursery_collected(policy, heap, collected);
}

START_TEST(the_nursery_follows_what_copying_took) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  static struct spgc_heap heap = {.recyclable = {SPGC_BLOCK_NONE}};
  static const size_t grown[] = {4, 8, 8}, shrunk[] = {4, 2, 2};
  for (int i = 0; i < 3; i++) {
    struct spgc_collected quick = minor(&policy, 100, 100000);
    collect(&policy, &heap, &quick);
    ck_assert_uint_eq(policy.nursery.copying_blocks * SPGC_BLOCK_BYTES, grown[i] * MIB);
  }
  struct spgc_collected cards = minor(&policy, 100, 2900000);
  cards.cards_read = 30000; /* 1.5 ms: copying took 1.4 */
  collect(&policy, &heap, &cards);
  ck_assert_uint_eq(policy.nursery.copying_blocks * SPGC_BLOCK_BYTES, 8 * MIB);
  struct spgc_collected roots = minor(&policy, 100, 2900000);
  roots.roots_ns = 1800000;
  collect(&policy, &heap, &roots);
  ck_assert_uint_eq(policy.nursery.copying_blocks * SPGC_BLOCK_BYTES, 8 * MIB);
  for (int i = 0; i < 3; i++) {
    struct spgc_collected slow = minor(&policy, 100, 3000000);
    collect(&policy, &heap, &slow);
    ck_assert_uint_eq(policy.nursery.copying_blocks * SPGC_BLOCK_BYTES, shrunk[i] * MIB);
  }
}
END_TEST

START_TEST(many_roots_are_visited_less_often) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  static struct spgc_heap heap = {.recyclable = {SPGC_BLOCK_NONE}};
  for (int i = 0; i < 6; i++) {
    struct spgc_collected roots = minor(&policy, 100, 60500000);
    roots.roots_ns = 60000000;
    collect(&policy, &heap, &roots);
  }
  ck_assert_uint_eq(policy.nursery.copying_blocks * SPGC_BLOCK_BYTES, 16 * MIB);
}
END_TEST

static bool has_headroom(const struct spgc_policy *policy, size_t old_bytes, uint32_t recyclable) {
  struct spgc_heap heap = {.old_blocks = (uint32_t)(old_bytes / SPGC_BLOCK_BYTES),
                           .recyclable = {recyclable}};
  return spgc_pacer_has_headroom(policy, &heap, 0, 64 * MIB);
}

START_TEST(survivors_fill_holes_once_the_old_space_has_grown) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  ck_assert(has_headroom(&policy, 127 * MIB, 0));
  ck_assert(!has_headroom(&policy, 128 * MIB, 0));
  ck_assert(has_headroom(&policy, 128 * MIB, SPGC_BLOCK_NONE));
}
END_TEST

static bool promotes_in_place(const struct spgc_policy *policy, const struct spgc_heap *heap) {
  return spgc_nursery_expects_survival(&policy->nursery) &&
         spgc_nursery_is_half_full(&policy->nursery, heap) &&
         spgc_pacer_has_headroom(policy, heap, heap->nursery.count, 64 * MIB);
}

START_TEST(a_nursery_that_survived_is_followed_by_promotion_in_place) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  static struct spgc_heap heap = {.recyclable = {SPGC_BLOCK_NONE}};
  const size_t expected = 7;
  size_t least = policy.nursery.least_copying_blocks;
  heap.nursery.count = (uint32_t)policy.nursery.most_copying_blocks;
  for (int i = 0; i < 3; i++) {
    struct spgc_collected copied = minor(&policy, 1, 1000000);
    ck_assert(!promotes_in_place(&policy, &heap));
    collect(&policy, &heap, &copied);
    for (size_t blocks = expected * least; blocks > 0; blocks -= least) {
      ck_assert(promotes_in_place(&policy, &heap));
      struct spgc_collected promoted = {.promoted = true,
                                        .condemned_bytes = least * SPGC_BLOCK_BYTES};
      collect(&policy, &heap, &promoted);
    }
  }
  struct spgc_collected died = minor(&policy, 100, 1000000);
  collect(&policy, &heap, &died);
  ck_assert(!promotes_in_place(&policy, &heap));
}
END_TEST

START_TEST(the_limit_counts_the_copies_of_what_is_young) {
  struct spgc_policy policy = policy_of(4 * MIB, 100);
  static struct spgc_heap heap;
  const size_t blocks = 4 * MIB / SPGC_BLOCK_BYTES;
  heap.large_blocks = (uint32_t)blocks / 2;
  heap.old_blocks = (uint32_t)blocks / 4;
  size_t young = 0;
  while (spgc_limit_admits(&policy.limit, &heap, (young + 1) * SPGC_BLOCK_BYTES, 0, 0))
    young++;
  ck_assert_uint_eq(young, 12); /* copies: 16, two open blocks, and one that is begun */
  policy.limit.moves_all = true;
  ck_assert(!spgc_limit_admits(&policy.limit, &heap, SPGC_BLOCK_BYTES, 0, 0));
}
END_TEST

START_TEST(steps_go_ahead_of_allocation) {
  const struct spgc_pace pace = spgc_pacer_pace();
  ck_assert_uint_eq(pace.work, 6);
  ck_assert_uint_eq(pace.final_steps, 2 * MIB / (6 * SPGC_BLOCK_BYTES));
}
END_TEST

/* A marking should end before 1/16 of the room is used. */
START_TEST(mutators_help_so_that_a_marking_ends_while_there_is_room) {
  static const struct {
    bool marks;
    size_t free, holes, whole, promoted, marked, pace;
  } rows[] = {
      {true, 128 * MIB, 0, 96 * MIB, 0, 0, 11},
      {true, 64 * MIB, 64 * MIB, 96 * MIB, 0, 0, 11},
      {true, 64 * MIB, 0, 96 * MIB, 0, 0, 23},
      {true, 64 * MIB, 0, 96 * MIB, 0, 48 * MIB, 11},
      {true, 64 * MIB, 0, 96 * MIB, 0, 96 * MIB, 0},
      {true, 64 * MIB, 0, 0, 96 * MIB, 0, 11}, /* half may be dead */
      {true, 64 * MIB, 0, 32 * MIB, 96 * MIB, 64 * MIB, 7},
      {true, MIB, 0, 96 * MIB, 0, 0, 48},
      {true, 200 * MIB, 0, 48 * MIB, 0, 0, 0},
      {false, 64 * MIB, 0, 96 * MIB, 0, 0, 0},
  };
  struct spgc_policy policy = policy_of(256 * MIB, 100);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    static struct spgc_heap heap;
    static struct spgc_cycle cycle;
    heap.used_blocks = (uint32_t)((256 * MIB - rows[i].free) / SPGC_BLOCK_BYTES);
    heap.unused_bytes = rows[i].holes;
    cycle.full_marking_live_bytes = cycle.live_bytes = rows[i].whole;
    cycle.promoted_bytes = cycle.begun_bytes = rows[i].promoted;
    cycle.marker.active = rows[i].marks;
    cycle.marker.scanners[0].marked_bytes = rows[i].marked;
    size_t pace = spgc_policy_steps(&policy, &heap, &cycle).assist_pace;
    if (pace != rows[i].pace)
      ck_abort_msg("row %zu: pace %zu", i, pace);
  }
}
END_TEST

START_TEST(mutators_help_a_cycle_that_lags) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  static struct spgc_heap heap;
  static struct spgc_cycle cycle = {.begun_bytes = 8 * MIB};
  cycle.promoted_bytes = 9 * MIB; /* 1/32 of the least growth */
  ck_assert_uint_eq(spgc_policy_steps(&policy, &heap, &cycle).assist_pace, 0);
  cycle.promoted_bytes++;
  ck_assert_uint_eq(spgc_policy_steps(&policy, &heap, &cycle).assist_pace, 6);
}
END_TEST

/* Until it ends, they are copied. */
START_TEST(mutators_hurry_a_marking_if_objects_could_be_born_old) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  static struct spgc_heap heap;
  static struct spgc_cycle cycle;
  cycle.marker.active = true;
  ck_assert_uint_eq(spgc_policy_steps(&policy, &heap, &cycle).assist_pace, 0);
  policy.nursery.makes_born_old = true;
  ck_assert_uint_eq(spgc_policy_steps(&policy, &heap, &cycle).assist_pace, 48);
  cycle.marker.active = false;
  ck_assert_uint_eq(spgc_policy_steps(&policy, &heap, &cycle).assist_pace, 0);
}
END_TEST

START_TEST(a_nursery_that_the_limit_cut_short_is_a_sample) {
  struct spgc_policy policy = policy_of(256 * MIB, 100);
  static struct spgc_heap heap = {.recyclable = {SPGC_BLOCK_NONE}};
  struct spgc_collected cut = {.condemned_bytes = MIB / 4, .moved_bytes = MIB / 4};
  collect(&policy, &heap, &cut);
  ck_assert(!spgc_nursery_expects_survival(&policy.nursery));
  cut.reason = SPGC_REASON_LIMIT;
  collect(&policy, &heap, &cut);
  ck_assert(spgc_nursery_expects_survival(&policy.nursery));
}
END_TEST

START_TEST(a_final_mark_that_is_due_asks_for_a_collection_of_six_blocks) {
  static struct spgc_heap heap;
  static struct spgc_cycle cycle;
  for (heap.nursery.count = 5; heap.nursery.count <= 6; heap.nursery.count++)
    for (cycle.phase = SPGC_CYCLE_IDLE; cycle.phase <= SPGC_CYCLE_SWEEPING; cycle.phase++)
      ck_assert(spgc_pacer_asks_for_final_mark(&heap, &cycle) ==
                (heap.nursery.count == 6 && cycle.phase == SPGC_CYCLE_MARKED));
}
END_TEST

START_TEST(tries_in_vain_halve_the_nursery_that_a_final_mark_waits_for) {
  static const uint32_t least[] = {6, 3, 2, 1, 1};
  static struct spgc_heap heap;
  static struct spgc_cycle cycle = {.phase = SPGC_CYCLE_MARKED};
  for (uint32_t tries = 0; tries < 5; tries++) {
    cycle.final_mark_tries = tries;
    heap.nursery.count = least[tries];
    ck_assert(spgc_pacer_asks_for_final_mark(&heap, &cycle));
    heap.nursery.count--;
    ck_assert(!spgc_pacer_asks_for_final_mark(&heap, &cycle));
  }
}
END_TEST

START_TEST(a_final_mark_that_would_exceed_the_pause_is_put_off) {
  struct spgc_policy policy = policy_of(4096 * MIB, 100);
  struct spgc_nursery *nursery = &policy.nursery;
  ck_assert_uint_eq(nursery->pause_ns, 3000000);
  ck_assert_uint_eq(spgc_nursery_final_mark_deadline(nursery, 100), 3000100);
  nursery->pause_ns = 0;
  ck_assert_uint_eq(spgc_nursery_final_mark_deadline(nursery, 100), UINT64_MAX);
}
END_TEST

START_TEST(only_survivors_that_old_objects_refer_to_are_expected_to_last) {
  static struct spgc_heap heap = {.recyclable = {SPGC_BLOCK_NONE}};
  for (uint32_t cards_per_block = 3; cards_per_block <= 4; cards_per_block++) {
    struct spgc_policy policy = policy_of(4096 * MIB, 100);
    for (int i = 0; i < 40; i++) {
      struct spgc_collected survived = minor(&policy, 1, 1000000);
      survived.condemned_bytes = survived.moved_bytes = 2 * MIB;
      survived.cards_read = cards_per_block * (2 * MIB / SPGC_BLOCK_BYTES);
      collect(&policy, &heap, &survived);
    }
    ck_assert(policy.nursery.expects_survival == (cards_per_block == 4));
  }
}
END_TEST

START_TEST(without_room_fuller_blocks_are_sparse_until_there_is_room) {
  struct spgc_policy policy = policy_of(64 * MIB, 100);
  static struct spgc_heap heap;
  heap.old_blocks = 320;
  heap.used_blocks = 64 * MIB / SPGC_BLOCK_BYTES / 8 * 7;
  struct spgc_sparse sparse = spgc_limit_sparse(&policy.limit, &heap);
  ck_assert_uint_eq(sparse.most_live_bytes, 0);
  heap.unused_bytes = (size_t)heap.old_blocks * SPGC_BLOCK_BYTES / 8 + 1;
  sparse = spgc_limit_sparse(&policy.limit, &heap);
  ck_assert_uint_eq(sparse.most_live_bytes, 20 << 10);
  heap.used_blocks += 3;
  sparse = spgc_limit_sparse(&policy.limit, &heap);
  ck_assert_uint_eq(sparse.most_live_bytes, SPGC_BLOCK_BYTES - 1);
  ck_assert_uint_eq(sparse.unused_bytes,
                    ((size_t)8 * MIB / SPGC_BLOCK_BYTES + 3) * SPGC_BLOCK_BYTES);
}
END_TEST

/* Of a nursery of 64 blocks: a quarter and its copies take 41. */
START_TEST(holes_make_the_smallest_nursery_worth_a_collection) {
  struct spgc_policy policy = policy_of(64 * MIB, 100);
  static struct spgc_heap heap;
  heap.old_blocks = heap.used_blocks = 64 * MIB / SPGC_BLOCK_BYTES - 20;
  heap.recyclable[0] = SPGC_BLOCK_NONE;
  ck_assert(spgc_limit_is_tight(&policy.limit, &heap, 64));
  heap.recyclable[0] = 0;
  ck_assert(!spgc_limit_is_tight(&policy.limit, &heap, 64));
  heap.old_blocks = heap.used_blocks = 64 * MIB / SPGC_BLOCK_BYTES - 4;
  ck_assert(spgc_limit_is_tight(&policy.limit, &heap, 64));
}
END_TEST

enum { WINDOW_NS = 100000 };

/* Frees `freed_blocks` of 2048. */
static void collect_fully(struct spgc_policy *policy, uint64_t *now, enum spgc_reason reason,
                          uint64_t percent, size_t freed_blocks) {
  static struct spgc_heap heap = {.used_blocks = 1000};
  const struct spgc_collected collected = {.full = true,
                                           .asked_full = true,
                                           .reason = reason,
                                           .last_resort = reason == SPGC_REASON_LIMIT,
                                           .blocks_before = heap.used_blocks + freed_blocks,
                                           .begun_ns = *now - WINDOW_NS / 100 * percent,
                                           .ended_ns = *now};
  spgc_overhead_collected(&policy->overhead, &policy->limit, &heap, &collected);
}

/* The number of windows until memory counts as exhausted; 0: never. */
static int windows_until_told(struct spgc_policy *policy, uint64_t *now, int windows,
                              uint64_t percent, size_t freed_blocks) {
  for (int i = 1; i <= windows; i++) {
    *now += WINDOW_NS;
    collect_fully(policy, now, SPGC_REASON_LIMIT, percent, freed_blocks);
    if (spgc_overhead_is_exceeded(&policy->overhead))
      return i;
  }
  return 0;
}

START_TEST(five_futile_full_collections_in_a_row_exhaust_memory) {
  struct spgc_policy policy = policy_of(64 * MIB, 100);
  uint64_t now = 0;
  ck_assert_int_eq(windows_until_told(&policy, &now, 10, 98, 40),
                   6); /* the first begins a window */
  ck_assert_str_eq(spgc_overhead_describe(&policy.overhead, &policy.limit).words,
                   "the last 5 full collections took 98 % of the time and freed 9.8 % of the limit "
                   "of 67108864 bytes (option overhead=98)");
  spgc_overhead_forget(&policy.overhead);
  ck_assert_int_eq(windows_until_told(&policy, &now, 10, 100, 0), 5);
}
END_TEST

START_TEST(a_full_collection_that_frees_enough_or_is_quick_ends_the_row) {
  static const struct {
    uint64_t percent;
    size_t freed_blocks;
  } others[] = {{98, 41}, {97, 0}};
  struct spgc_policy policy = policy_of(64 * MIB, 100);
  uint64_t now = WINDOW_NS;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(
        windows_until_told(&policy, &now, 9, others[i].percent, others[i].freed_blocks), 0);
    ck_assert_int_eq(windows_until_told(&policy, &now, 4, 98, 40), 0);
    windows_until_told(&policy, &now, 1, others[i].percent, others[i].freed_blocks);
    ck_assert_int_eq(windows_until_told(&policy, &now, 9, 98, 40), 5);
    spgc_overhead_forget(&policy.overhead);
  }
}
END_TEST

/* Each window has two full collections; only the second ends it. */
static int windows_until_told_with(enum spgc_reason reason, uint64_t percent, size_t freed_blocks) {
  struct spgc_policy policy = policy_of(64 * MIB, 100);
  uint64_t now = 0;
  windows_until_told(&policy, &now, 1, 0, 0);
  for (int i = 1; i < 10; i++) {
    collect_fully(&policy, &now, reason, percent, freed_blocks);
    if (windows_until_told(&policy, &now, 1, 98 - percent, 20) != 0)
      return i;
  }
  return 0;
}

START_TEST(full_collections_count_together_unless_the_program_asks_for_them) {
  ck_assert_int_eq(windows_until_told_with(SPGC_REASON_NURSERY, 60, 20), 5);
  ck_assert_int_eq(windows_until_told_with(SPGC_REASON_LARGE, 60, 21), 0);
  ck_assert_int_eq(windows_until_told_with(SPGC_REASON_CALL, 60, 0), 0);
  ck_assert_int_eq(windows_until_told_with(SPGC_REASON_STRESS, 60, 0), 0);
  ck_assert_int_eq(windows_until_told_with(SPGC_REASON_CALL, 0, 1000), 5);
}
END_TEST

START_TEST(another_overhead_may_be_chosen_or_none) {
  uint64_t now = 0;
  struct spgc_options options = {.heap_limit = 64 * MIB, .overhead = 50};
  struct spgc_policy policy;
  spgc_policy_start(&policy, &options);
  ck_assert_int_eq(windows_until_told(&policy, &now, 10, 49, 0), 0);
  ck_assert_int_eq(windows_until_told(&policy, &now, 10, 50, 0), 5);
  options.overhead = SPGC_OVERHEAD_OFF;
  spgc_policy_start(&policy, &options);
  ck_assert_int_eq(windows_until_told(&policy, &now, 20, 100, 0), 0);
}
END_TEST

CHECK_MAIN("policy", a_cycle_begins_an_eighth_of_what_lives_before_the_old_space_has_grown,
           the_old_space_grows_by_no_less_than_32_mib,
           near_the_limit_the_old_space_grows_by_what_is_left_beside_the_nursery,
           near_the_limit_a_cycle_begins_while_its_reserve_is_left_in_blocks_and_holes,
           near_the_limit_at_least_a_nursery_is_promoted_between_two_cycles,
           holes_that_survivors_do_not_fit_are_no_room,
           blocks_for_as_much_growth_as_before_a_partial_marking_stay_resident,
           a_marking_compacts_if_much_is_unused_or_room_is_short,
           what_was_live_lately_fades_by_an_eighth_with_each_marking,
           after_partial_markings_that_found_little_markings_are_full,
           the_nursery_follows_what_copying_took, many_roots_are_visited_less_often,
           survivors_fill_holes_once_the_old_space_has_grown,
           a_nursery_that_survived_is_followed_by_promotion_in_place,
           the_limit_counts_the_copies_of_what_is_young, steps_go_ahead_of_allocation,
           mutators_help_so_that_a_marking_ends_while_there_is_room,
           mutators_help_a_cycle_that_lags, mutators_hurry_a_marking_if_objects_could_be_born_old,
           a_nursery_that_the_limit_cut_short_is_a_sample,
           a_final_mark_that_is_due_asks_for_a_collection_of_six_blocks,
           tries_in_vain_halve_the_nursery_that_a_final_mark_waits_for,
           a_final_mark_that_would_exceed_the_pause_is_put_off,
           only_survivors_that_old_objects_refer_to_are_expected_to_last,
           without_room_fuller_blocks_are_sparse_until_there_is_room,
           holes_make_the_smallest_nursery_worth_a_collection,
           five_futile_full_collections_in_a_row_exhaust_memory,
           a_full_collection_that_frees_enough_or_is_quick_ends_the_row,
           full_collections_count_together_unless_the_program_asks_for_them,
           another_overhead_may_be_chosen_or_none)
