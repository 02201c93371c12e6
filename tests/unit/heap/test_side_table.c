/* Tables are compared with a model; costs are links followed. */
#include <stdlib.h>

#include "check_main.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/side_table.h"
#include "gc/weak/weak_field.h"
#include "gc/weak/weak_map.h"
#include "heap_world.h"
#include "random.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"

/* The model's objects are numbers with addresses; few places, so that keys meet. */
enum { OBJECTS = 60, PLACES = 9, STEPS = 200000, LINKS_OF_STEP = 4 };

struct payload {
  struct spgc_side_listed head;
  uint32_t object, value;
};

struct model {
  struct spgc_side_table table;
  struct random random;
  uintptr_t addresses[OBJECTS];
  bool is_old[OBJECTS];
  uint32_t values[OBJECTS][PLACES]; /* 0: no entry */
};

static unsigned places_of(const struct model *model) {
  return model->table.kind == SPGC_SIDE_OF_OBJECTS ? 1 : PLACES;
}

/* At distances of a power of two. */
static uintptr_t new_address(struct model *model) {
  static uintptr_t last;
  last += (uintptr_t)16 << random_below(&model->random, 20);
  return last;
}

static struct spgc_ref object_at(const struct model *model, unsigned object) {
  return spgc_ref_from_word(model->addresses[object]);
}

static struct payload *find(struct model *model, unsigned object, unsigned place) {
  return spgc_side_table_find(&model->table, object_at(model, object), place);
}

static void change(struct model *model) {
  unsigned object = (unsigned)random_below(&model->random, OBJECTS);
  unsigned place = (unsigned)random_below(&model->random, places_of(model));
  struct payload *found = find(model, object, place);
  uint32_t *value = &model->values[object][place];
  if ((found != NULL) != (*value != 0) || (found != NULL && found->value != *value))
    ck_abort_msg("object %u, place %u: not the value %u", object, place, *value);
  if (found != NULL) {
    spgc_side_table_remove(&model->table, found);
    *value = 0;
    return;
  }
  found = spgc_side_table_append(&model->table, object_at(model, object), place);
  if (found == NULL)
    ck_abort_msg("no memory");
  found->object = object;
  found->value = *value = 1 + (uint32_t)random_below(&model->random, 1000);
}

static unsigned object_of(const struct model *model, struct spgc_ref object) {
  unsigned i = 0;
  while (model->addresses[i] != object.word)
    if (++i == OBJECTS)
      ck_abort_msg("an entry has the address %#zx, which is no object's", (size_t)object.word);
  return i;
}

static uintptr_t moved[OBJECTS]; /* new addresses, or 0 */

static struct spgc_ref address(const void *tracer, struct spgc_ref object) {
  return spgc_ref_from_word(moved[object_of(tracer, object)]);
}

static void collect(struct model *model, bool all) {
  struct spgc_liveness liveness = {.all = all, .tracer = model, .address = address};
  for (unsigned i = 0; i < OBJECTS; i++) {
    bool decides = all || !model->is_old[i];
    moved[i] = !decides                               ? model->addresses[i]
               : random_below(&model->random, 4) == 0 ? 0
                                                      : new_address(model);
  }
  spgc_side_table_settle(&model->table, &liveness, spgc_side_table_reached);
  for (unsigned i = 0; i < OBJECTS; i++) {
    model->is_old[i] = moved[i] != 0;
    for (unsigned place = 0; place < PLACES && moved[i] == 0; place++)
      model->values[i][place] = 0;
    model->addresses[i] = moved[i] != 0 ? moved[i] : new_address(model);
  }
}

static void check_list(const struct model *model, unsigned object) {
  bool listed[PLACES] = {false};
  for (const struct payload *found = spgc_side_table_first(&model->table, object_at(model, object));
       found != NULL; found = spgc_side_table_next(&model->table, found)) {
    uint32_t place = found->head.entry.place;
    if (found->object != object || listed[place] || found->value != model->values[object][place])
      ck_abort_msg("object %u: its list has a wrong entry for place %u", object, place);
    listed[place] = true;
  }
  for (unsigned place = 0; place < PLACES; place++)
    if (listed[place] != (model->values[object][place] != 0))
      ck_abort_msg("object %u: its list has no entry for place %u", object, place);
}

static void check_all(struct model *model) {
  uint32_t count = 0;
  for (unsigned object = 0; object < OBJECTS; object++) {
    for (unsigned place = 0; place < places_of(model); place++) {
      const struct payload *found = find(model, object, place);
      uint32_t value = model->values[object][place];
      if ((found == NULL ? 0 : found->value) != value)
        ck_abort_msg("object %u, place %u: not the value %u", object, place, value);
      count += value != 0;
    }
    if (model->table.kind == SPGC_SIDE_OF_LISTS)
      check_list(model, object);
  }
  if (count != model->table.count)
    ck_abort_msg("%u entries instead of %u", model->table.count, count);
}

static void play(enum spgc_side_kind kind) {
  struct model model = {.table = SPGC_SIDE_TABLE_OF(struct payload, kind),
                        .random = random_start("side tables")};
  uint64_t checks = 0;
  for (unsigned i = 0; i < OBJECTS; i++)
    model.addresses[i] = new_address(&model);
  for (int step = 0; step < STEPS; step++) {
    uint64_t dice = random_below(&model.random, 1000);
    if (dice < 2)
      collect(&model, dice == 0);
    else
      change(&model);
    if (dice >= 10)
      continue;
    check_all(&model);
    checks += (uint64_t)OBJECTS * places_of(&model);
  }
  ck_assert_uint_lt(model.table.links_followed, LINKS_OF_STEP * (STEPS + checks));
  spgc_side_table_free(&model.table);
}

START_TEST(tables_agree_with_a_model) {
  for (enum spgc_side_kind kind = SPGC_SIDE_OF_OBJECTS; kind <= SPGC_SIDE_OF_LISTS; kind++)
    play(kind);
}
END_TEST

enum { COUNT = 30000 };

static const struct spgc_type words_type = {
    .size = 16, .element_size = 8, .flags = SPGC_TYPE_TAIL, .name = "words"};

static void check_cost(const struct spgc_side_table *table, uint64_t steps) {
  ck_assert_uint_ge(table->count, 1);
  ck_assert_uint_lt(table->links_followed, LINKS_OF_STEP * steps);
}

static void set(struct spgc_weak_map map, struct spgc_handle key, struct spgc_handle value) {
  if (spgc_weak_map_set(map, spgc_handle_get(key), spgc_handle_get(value), NULL) != SPGC_OK)
    ck_abort_msg("no memory");
}

static struct spgc_weak_map new_map(struct spgc_ref owner) {
  struct spgc_weak_map map;
  if (spgc_weak_map_create(owner, &map, NULL) != SPGC_OK)
    ck_abort_msg("no memory");
  return map;
}

static uint32_t field(unsigned i) {
  return 16 + 8 * i;
}

START_TEST(one_object_has_many_weak_fields) {
  world_open_fixed("");
  struct spgc_handle one = spgc_handle_make(spgc_allocate_array(&words_type, COUNT));
  struct spgc_handle referents[2] = {world_new_leaf(1), world_new_leaf(2)};
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < COUNT; i++)
      if (spgc_weak_bind(spgc_handle_get(one), field(i), spgc_handle_get(referents[i % 2]), NULL))
        ck_abort_msg("field %u", i);
    spgc_collect(round == 1 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
  }
  for (unsigned i = 0; i < COUNT; i++)
    if (!spgc_ref_equal(spgc_weak_get(spgc_handle_get(one), field(i)),
                        spgc_handle_get(referents[i % 2])))
      ck_abort_msg("field %u", i);
  check_cost(&spgc_weak_fields, 3 * 3 * COUNT);
  world_close();
}
END_TEST

START_TEST(one_object_is_the_key_and_the_owner_of_many_weak_maps) {
  world_open_fixed("");
  struct spgc_handle one = world_new_leaf(1), value = world_new_leaf(2);
  struct spgc_weak_map *maps = malloc(COUNT * sizeof *maps);
  ck_assert_ptr_nonnull(maps);
  for (unsigned i = 0; i < COUNT; i++) {
    maps[i] = new_map(spgc_handle_get(one));
    set(maps[i], one, value);
  }
  for (int round = 0; round < 2; round++) {
    spgc_collect(round == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    for (unsigned i = 0; i < COUNT; i++)
      if (!spgc_weak_map_get(maps[i], spgc_handle_get(one), NULL))
        ck_abort_msg("map %u", i);
  }
  for (unsigned i = 0; i < COUNT - 1; i++)
    spgc_weak_map_destroy(maps[i]);
  ck_assert_uint_lt(spgc_weak_maps.ephemerons.count, 3);
  ck_assert(spgc_weak_map_get(maps[COUNT - 1], spgc_handle_get(one), NULL));
  check_cost(&spgc_weak_maps.ephemerons, 6 * COUNT);
  check_cost(&spgc_weak_maps.owners, 4 * COUNT);
  free(maps);
  world_close();
}
END_TEST

/* Entries of a destroyed map remain. */
START_TEST(maps_are_made_and_destroyed_again_and_again) {
  world_open_fixed("verify=full");
  struct spgc_handle key = world_new_leaf(1), value = world_new_leaf(2);
  struct spgc_weak_map stays = new_map(spgc_ref_null());
  for (unsigned i = 0; i < 100; i++)
    set(stays, world_new_leaf(i), value);
  for (unsigned i = 0; i < COUNT; i++) {
    struct spgc_weak_map map = new_map(spgc_ref_null());
    if (spgc_weak_map_count(map) != 0 || spgc_weak_map_get(map, spgc_handle_get(key), NULL))
      ck_abort_msg("map %llu of round %u is not empty", (unsigned long long)map.number, i);
    set(map, key, value);
    spgc_weak_map_destroy(map);
    if (i % 5000 == 0)
      spgc_collect(i % 10000 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
  }
  ck_assert_uint_le(spgc_weak_maps.record_count, 128);
  ck_assert_uint_eq(spgc_weak_map_count(stays), 100);
  check_cost(&spgc_weak_maps.ephemerons, 8 * COUNT);
  world_close();
}
END_TEST

START_TEST(one_object_is_registered_many_times) {
  world_open_fixed("");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle one = world_new_leaf(1);
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < COUNT; i++)
      if (spgc_finalizer_register(spgc_handle_get(one), spgc_ref_from_word(2 * i + 1), NULL))
        ck_abort_msg("registration %u", i);
    spgc_collect(round == 1 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    for (unsigned i = 0; i < COUNT - 10; i++)
      if (!spgc_finalizer_cancel(spgc_handle_get(one)))
        ck_abort_msg("cancellation %u", i);
  }
  check_cost(&spgc_registrations, 3 * 4 * COUNT);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_finalizer finalizer;
  for (unsigned i = 0; i < 30; i++) { /* each round kept its first ten */
    ck_assert(spgc_finalizer_next(&finalizer));
    ck_assert_uint_eq(finalizer.held.word, 2 * (i % 10) + 1);
  }
  ck_assert(!spgc_finalizer_next(&finalizer));
  world_close();
}
END_TEST

CHECK_MAIN("side tables", tables_agree_with_a_model, one_object_has_many_weak_fields,
           one_object_is_the_key_and_the_owner_of_many_weak_maps,
           maps_are_made_and_destroyed_again_and_again, one_object_is_registered_many_times)
