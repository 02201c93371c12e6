/* Compared with a model, while code comes, goes and reuses addresses. */
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "gc/naming/code_name.h"
#include "gc/state/locks.h"
#include "observe/profile/profile_places.h"
#include "random.h"
#include "spgc/code_name.h"

enum { PIECES = 6, PIECE_BYTES = 256, STEPS = 20000, MOST_PLACES = STEPS };

/* A JIT's code, under its present name. */
struct piece {
  char text[32];
  struct spgc_code_name name;
  struct spgc_code_names names;
  unsigned version;
  bool is_loaded;
  uint32_t places[PIECE_BYTES]; /* of its calls, or SPGC_PROFILE_NONE */
};

static struct model {
  struct spgc_profile_tables tables;
  struct piece pieces[PIECES];
  char names[MOST_PLACES][32]; /* the new code at each place */
  uint32_t place_count;
} model;

static void retire(uintptr_t start, uintptr_t end) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  spgc_profile_places_retire(&model.tables, start, end);
  spgc_unlock(SPGC_LOCK_SAMPLES);
}

static uintptr_t start_of(const struct piece *piece) {
  return 0x100000 + (uintptr_t)(piece - model.pieces) * PIECE_BYTES;
}

static void load(struct piece *piece) {
  snprintf(piece->text, sizeof piece->text, "piece-%u-%u", (unsigned)(piece - model.pieces),
           ++piece->version);
  piece->name = (struct spgc_code_name){start_of(piece), PIECE_BYTES, piece->text};
  piece->names = (struct spgc_code_names){&piece->name, 1, {0}};
  spgc_code_names_add(&piece->names);
  piece->is_loaded = true;
  for (unsigned i = 0; i < PIECE_BYTES; i++)
    piece->places[i] = SPGC_PROFILE_NONE;
}

static void unload(struct piece *piece) {
  spgc_code_names_remove(&piece->names);
  piece->is_loaded = false;
}

static void check_name(uint32_t place) {
  const struct spgc_profile_place *found = spgc_sequence_value(&model.tables.places, place);
  ck_assert_str_eq(spgc_profile_text(&model.tables, found->function), model.names[place]);
  ck_assert_uint_eq(found->mapping, SPGC_PROFILE_NONE);
}

/* At a known place, or a new one, whose number is the next. */
static void sample(struct random *random, struct piece *piece) {
  unsigned offset = (unsigned)random_below(random, PIECE_BYTES);
  const struct spgc_call call = {.instruction = start_of(piece) + offset,
                                 .statepoint_id = random_below(random, 3),
                                 .is_managed = random_below(random, 2) == 0};
  spgc_lock(SPGC_LOCK_SAMPLES);
  uint32_t place = spgc_profile_place_number(&model.tables, &call);
  spgc_unlock(SPGC_LOCK_SAMPLES);
  if (piece->places[offset] != SPGC_PROFILE_NONE)
    ck_assert_uint_eq(place, piece->places[offset]);
  else
    ck_assert_uint_eq(place, model.place_count++);
  piece->places[offset] = place;
  strcpy(model.names[place], piece->text);
  check_name(place);
}

START_TEST(places_are_those_of_a_model) {
  struct random random = random_start("places");
  model.tables = spgc_profile_tables_empty();
  spgc_code_set_gone_hook(retire);
  for (unsigned i = 0; i < STEPS; i++) {
    struct piece *piece = &model.pieces[random_below(&random, PIECES)];
    if (!piece->is_loaded)
      load(piece);
    else if (random_below(&random, 100) == 0)
      unload(piece);
    else
      sample(&random, piece);
  }
  ck_assert_uint_eq(model.tables.places.count, model.place_count);
  ck_assert_uint_gt(model.place_count, PIECES * (uint64_t)PIECE_BYTES); /* code took the place */
  for (uint32_t place = 0; place < model.place_count; place++)
    check_name(place);
  for (unsigned i = 0; i < PIECES; i++)
    if (model.pieces[i].is_loaded)
      unload(&model.pieces[i]);
  spgc_code_set_gone_hook(NULL);
  spgc_profile_tables_free(&model.tables);
}
END_TEST

/* They are found by stack, type and collections survived. A copy does not change. */
START_TEST(counts_are_those_of_a_model) {
  enum { STACKS = 20, TYPES = 10, AGES = 12 };
  static double expected[STACKS][TYPES][AGES];
  struct random random = random_start("counts");
  struct spgc_profile_tables tables = spgc_profile_tables_empty(), copy;
  double sum = 0;
  for (unsigned i = 0; i < STEPS; i++) {
    uint32_t stack = (uint32_t)random_below(&random, STACKS),
             type = (uint32_t)random_below(&random, TYPES),
             age = (uint32_t)random_below(&random, AGES);
    const struct spgc_profile_key key = {stack, type, spgc_profile_round_survived(1U << age)};
    struct spgc_profile_counts *counts = spgc_profile_counts_of(&tables, &key);
    ck_assert_ptr_nonnull(counts);
    ck_assert_double_eq(counts->allocated_bytes, expected[stack][type][age]);
    expected[stack][type][age] += i;
    counts->allocated_bytes += i;
    sum += i;
  }
  ck_assert(spgc_profile_tables_copy(&copy, &tables));
  spgc_profile_tables_free(&tables);
  for (uint32_t number = 0; number < copy.counts.count; number++)
    sum -= ((const struct spgc_profile_counts *)spgc_sequence_value(&copy.counts, number))
               ->allocated_bytes;
  ck_assert_double_eq(sum, 0);
  ck_assert_uint_le(copy.counts.count, STACKS * TYPES * AGES);
  spgc_profile_tables_free(&copy);
}
END_TEST

CHECK_MAIN("heap-profile-places", places_are_those_of_a_model, counts_are_those_of_a_model)
