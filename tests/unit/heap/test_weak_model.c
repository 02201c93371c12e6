/* Random operations, by one mutator and several, against a model.
 *
 * SPGC_MODEL_STEPS, SPGC_MODEL_SEED and SPGC_MODEL_THREADS override the defaults; a failure prints
 * the seed. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/identity.h"
#include "spgc/pin.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"
#include "support/random.h"

enum {
  SLOTS = 150,
  STEPS = 300000,
  FINALIZERS = 1 << 16,
  LARGE = 9000,
  BATCH = 60000,
  TRANSIENTS = 500
};
enum { THREADS = 3, MOST_THREADS = 4 };

struct thing {
  uint64_t number;
  uint32_t hash;     /* 0: never hashed */
  uintptr_t address; /* while pinned */
  bool bound;        /* the slot's holder refers to it */
  bool has_value;    /* it is a key of the map */
};

struct player {
  uint64_t seed, steps;
  struct spgc_random random;
  struct spgc_handle slots, holders;
  struct spgc_handle transients; /* live for a while, so that the old space fills and is marked */
  struct spgc_weak_map map;
  struct thing things[SLOTS];
  bool bound_to_dead[SLOTS]; /* the holder's referent is gone */
};

/* By registration; the thread that registers sets `expected` first. */
static struct {
  atomic_uint count;
  _Atomic(unsigned char) queued[FINALIZERS];
  _Atomic(unsigned char) expected[FINALIZERS];
} finalizers;

static unsigned below(struct player *player, unsigned bound) {
  return (unsigned)(spgc_random_next(&player->random) % bound);
}

static void disagree(const struct player *player, unsigned slot, const char *what) {
  ck_abort_msg("slot %u: %s (SPGC_MODEL_SEED=%" PRIu64 ")", slot, what, player->seed);
}

static struct spgc_ref thing_at(const struct player *player, unsigned slot) {
  return world_get(player->slots, 2 + slot);
}

static struct spgc_ref referent_at(const struct player *player, unsigned slot) {
  return spgc_weak_get(world_get(player->holders, 2 + slot), WORLD_WEAK_OFFSET);
}

static void unpin(struct player *player, unsigned slot) {
  if (player->things[slot].address != 0)
    spgc_unpin(thing_at(player, slot));
  player->things[slot].address = 0;
}

/* {header, number or length, number, ...} */
static void replace(struct player *player, unsigned slot) {
  uint64_t number = spgc_random_next(&player->random);
  bool large = below(player, 200) == 0;
  struct spgc_ref object =
      large ? spgc_allocate_array(&world_bytes, LARGE) : spgc_allocate(&world_holder);
  if (spgc_ref_is_null(object))
    ck_abort_msg("no memory for the object in slot %u", slot);
  ((uint64_t *)spgc_ref_memory(object))[large ? 2 : 1] = number;
  unpin(player, slot);
  player->bound_to_dead[slot] |= player->things[slot].bound;
  player->things[slot] = (struct thing){.number = number};
  world_set(player->slots, 2 + slot, object);
}

static uint64_t number_of(struct spgc_ref object) {
  const uint64_t *words = spgc_ref_memory(object);
  return words[words[0] == (uintptr_t)&world_bytes ? 2 : 1];
}

/* A pair that refers to its key, which it must not keep alive. */
static void set_value(struct player *player, unsigned slot) {
  struct spgc_ref pair = spgc_allocate(&world_pair), key = thing_at(player, slot);
  ((uint64_t *)spgc_ref_memory(pair))[1] = player->things[slot].number;
  spgc_store(spgc_slot_at((uint64_t *)spgc_ref_memory(pair) + 2), key);
  ck_assert_int_eq(spgc_weak_map_set(player->map, key, pair, NULL), SPGC_OK);
  player->things[slot].has_value = true;
}

static void drop_value(struct player *player, unsigned slot) {
  if (spgc_weak_map_remove(player->map, thing_at(player, slot)) != player->things[slot].has_value)
    disagree(player, slot, "the map does not know what it has");
  player->things[slot].has_value = false;
}

static void bind(struct player *player, unsigned slot) {
  struct spgc_ref holder = world_get(player->holders, 2 + slot);
  ck_assert_int_eq(spgc_weak_bind(holder, WORLD_WEAK_OFFSET, thing_at(player, slot), NULL),
                   SPGC_OK);
  player->things[slot].bound = true;
  player->bound_to_dead[slot] = false;
}

static void finalize(struct player *player, unsigned slot) {
  unsigned number = atomic_fetch_add(&finalizers.count, 1);
  if (number >= FINALIZERS)
    return;
  finalizers.expected[number] = 1;
  ck_assert_int_eq(
      spgc_finalizer_register(thing_at(player, slot), spgc_ref_from_word(2 * number + 1), NULL),
      SPGC_OK);
}

static void empty_queue(void) {
  struct spgc_finalizer finalizer;
  while (spgc_finalizer_next(&finalizer))
    if (atomic_fetch_add(&finalizers.queued[finalizer.held.word / 2], 1) != 0)
      ck_abort_msg("registration %" PRIuPTR " was queued twice", finalizer.held.word / 2);
}

static void pin(struct player *player, unsigned slot) {
  unpin(player, slot);
  if (below(player, 3) == 0)
    return;
  ck_assert_int_eq(spgc_pin(thing_at(player, slot), NULL), SPGC_OK);
  player->things[slot].address = thing_at(player, slot).word;
}

static void check_slot(struct player *player, unsigned slot) {
  struct thing *thing = &player->things[slot];
  struct spgc_ref object = thing_at(player, slot), value;
  if (number_of(object) != thing->number)
    disagree(player, slot, "the thing is not what it was");
  if (thing->address != 0 && thing->address != object.word)
    disagree(player, slot, "a pinned thing has moved");
  if (thing->bound && !spgc_ref_equal(referent_at(player, slot), object))
    disagree(player, slot, "the weak field does not lead to the thing");
  if (thing->hash != 0 && spgc_identity_hash(object) != thing->hash)
    disagree(player, slot, "the hash has changed");
  if (spgc_weak_map_get(player->map, object, &value) != thing->has_value)
    disagree(player, slot, "the map has lost a key, or found one");
  if (thing->has_value && (number_of(value) != thing->number ||
                           ((const uint64_t *)spgc_ref_memory(value))[2] != object.word))
    disagree(player, slot, "the key's value is not what it was");
}

/* Twice, because objects that the first collection queues die in the second. */
static void collect_and_check_dead(struct player *player) {
  for (int i = 0; i < 2; i++) {
    spgc_collect(SPGC_COLLECTION_FULL);
    empty_queue();
  }
  uint64_t keys = 0;
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    check_slot(player, slot);
    keys += player->things[slot].has_value;
    if (player->bound_to_dead[slot] && !player->things[slot].bound &&
        !spgc_ref_is_null(referent_at(player, slot)))
      disagree(player, slot, "a weak field leads to a dead thing");
  }
  if (spgc_weak_map_count(player->map) != keys)
    disagree(player, 0, "the map has dead keys");
}

static void take_step(struct player *player) {
  unsigned slot = below(player, SLOTS);
  check_slot(player, slot);
  switch (below(player, 12)) {
  case 0: bind(player, slot); break;
  case 1: set_value(player, slot); break;
  case 2: drop_value(player, slot); break;
  case 3: finalize(player, slot); break;
  case 4: pin(player, slot); break;
  case 5: player->things[slot].hash = spgc_identity_hash(thing_at(player, slot)); break;
  case 6: empty_queue(); break;
  case 7:
    world_set(player->transients, 2 + below(player, TRANSIENTS),
              spgc_allocate_array(&world_bytes, 2000));
    break;
  default: replace(player, slot); break;
  }
  if (below(player, 400) == 0)
    spgc_collect(SPGC_COLLECTION_MINOR);
}

static void play(struct player *player) {
  struct spgc_scope scope = spgc_scope_open();
  player->random.state = player->seed;
  player->slots = spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
  player->holders = spgc_handle_make(spgc_allocate_array(&world_references, SLOTS));
  player->transients = spgc_handle_make(spgc_allocate_array(&world_references, TRANSIENTS));
  ck_assert_int_eq(spgc_weak_map_create(spgc_handle_get(player->slots), &player->map, NULL),
                   SPGC_OK);
  for (unsigned slot = 0; slot < SLOTS; slot++) {
    world_set(player->holders, 2 + slot, spgc_allocate(&world_holder));
    replace(player, slot);
  }
  for (uint64_t step = 1; step <= player->steps; step++) {
    take_step(player);
    if (step % BATCH == 0 || step == player->steps)
      collect_and_check_dead(player);
  }
  for (unsigned slot = 0; slot < SLOTS; slot++)
    unpin(player, slot);
  spgc_scope_close(scope);
}

static void *play_attached(void *player) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  play(player);
  spgc_thread_detach();
  return NULL;
}

struct threads {
  uint64_t count; /* the test's own, the first, included */
  pthread_t threads[MOST_THREADS];
};

static void *join_all(void *context) {
  const struct threads *all = context;
  for (uint64_t i = 1; i < all->count; i++)
    ck_assert_int_eq(pthread_join(all->threads[i], NULL), 0);
  return NULL;
}

static void check_every_registration_was_queued(void) {
  spgc_collect(SPGC_COLLECTION_FULL);
  empty_queue();
  for (unsigned i = 0; i < FINALIZERS; i++)
    if (finalizers.queued[i] != finalizers.expected[i])
      ck_abort_msg("registration %u was not queued", i);
}

static void run(uint64_t count, const char *options) {
  static struct player players[MOST_THREADS];
  ck_assert_uint_le(count, MOST_THREADS);
  world_open(options);
  uint64_t seed = world_number("SPGC_MODEL_SEED", 1),
           steps = world_number("SPGC_MODEL_STEPS", STEPS);
  for (uint64_t i = 0; i < count; i++)
    players[i] = (struct player){.seed = seed + i, .steps = steps / count};
  struct threads all = {.count = count};
  for (uint64_t i = 1; i < count; i++)
    ck_assert_int_eq(pthread_create(&all.threads[i], NULL, play_attached, &players[i]), 0);
  play(&players[0]);
  spgc_call_blocking(join_all, &all);
  check_every_registration_was_queued();
  world_close();
}

START_TEST(one_mutator_agrees_with_the_model) {
  run(1, "nursery=32k,limit=4m");
}
END_TEST

START_TEST(several_mutators_agree_with_their_models) {
  run(world_number("SPGC_MODEL_THREADS", THREADS), "nursery=64k,limit=8m");
}
END_TEST

CHECK_MAIN_WITHIN(200, "heap-weak-model", one_mutator_agrees_with_the_model,
                  several_mutators_agree_with_their_models)
