#include "api_random.h"

#include <string.h>

#include "api_steps.h"
#include "api_things.h"
#include "spgc/finalizer.h"
#include "spgc/identity.h"
#include "spgc/pin.h"
#include "spgc/weak.h"

struct api_cycle api_cycle;
atomic_ulong api_taken[API_MOST_STEPS];

_Thread_local struct api_life *api_self;

static struct {
  uint64_t number;
  bool cancelled;
  atomic_uint queued;
} finalizers[API_REGISTRATIONS];

static void unpin(struct api_life *life, struct api_thing *thing) {
  for (; thing->pins != 0; thing->pins--)
    spgc_unpin(spgc_ref_from_word(thing->address));
  life->pinned -= thing->address != 0;
  thing->address = 0;
}

static void drop(struct api_life *life, unsigned slot) {
  unpin(life, &life->things[slot]);
  life->things[slot] = (struct api_thing){0};
  spgc_handle_set(life->handles[slot], spgc_ref_null());
}

static void drop_all(struct api_life *life) {
  for (unsigned slot = 0; slot < API_THINGS; slot++)
    drop(life, slot);
}

static void replace(struct api_life *life, unsigned slot) {
  enum { MOST_LARGE = 60000, LEAST_LARGE = 8200, MOST_RECORDS = 2500 };
  static const enum api_kind kinds[] = {API_LEAF, API_LEAF, API_PAIR, API_PAIR, API_PAIR};
  struct api_thing thing = {.number = api_new_number(life)};
  unsigned choice = api_below(life, 40);
  if (choice == 0) {
    thing.kind = API_LARGE;
    thing.length = LEAST_LARGE + api_below(life, MOST_LARGE - LEAST_LARGE);
  } else if (choice <= 2) {
    thing.kind = API_TABLE;
    thing.length = 1 + api_below(life, choice == 1 ? MOST_RECORDS : MOST_RECORDS / 20);
  } else {
    thing.kind = kinds[api_below(life, sizeof kinds / sizeof kinds[0])];
  }
  drop(life, slot);
  struct spgc_ref object = api_allocate_thing(&thing);
  if (spgc_ref_is_null(object)) {
    drop_all(life);
    return;
  }
  api_inscribe(&thing, object);
  life->things[slot] = thing;
  spgc_handle_set(life->handles[slot], object);
}

unsigned api_some_slot(struct api_life *life) {
  unsigned slot = api_below(life, API_THINGS);
  if (life->things[slot].kind == API_NOTHING)
    replace(life, slot);
  return life->things[slot].kind == API_NOTHING ? API_THINGS : slot;
}

static void check_thing(const struct api_life *life, unsigned slot) {
  const struct api_thing *thing = &life->things[slot];
  struct spgc_ref object = api_object_at(life, slot), value;
  if (thing->kind == API_NOTHING)
    return;
  api_check_contents(life, thing, object);
  api_expect(life, thing->address == 0 || thing->address == object.word,
             "a pinned thing has moved");
  api_expect(life, thing->hash == 0 || thing->hash == spgc_identity_hash(object),
             "a hash has changed");
  api_expect(life,
             thing->registration == 0 || atomic_load(&finalizers[thing->registration].queued) == 0,
             "a thing was queued while it was reachable");
  api_expect(life, spgc_weak_map_get(life->map, object, &value) == thing->has_value,
             "the map lost a key, or found one");
  api_expect(life, !thing->has_value || api_number_of(value) == thing->number,
             "a value is another one");
}

static bool has_number(const struct api_life *life, uint64_t number) {
  for (unsigned slot = 0; slot < API_THINGS; slot++)
    if (life->things[slot].kind != API_NOTHING && life->things[slot].number == number)
      return true;
  return false;
}

static void check_holder(const struct api_life *life, unsigned i) {
  struct spgc_ref holder = spgc_handle_get(life->holders[i]);
  if (spgc_ref_is_null(holder))
    return;
  uint64_t referent = api_number_at(spgc_weak_get(holder, WORLD_WEAK_OFFSET));
  api_expect(life, referent == 0 || referent == life->bound[i],
             "a weak field refers to something else");
  api_expect(life, referent != 0 || life->bound[i] == 0 || !has_number(life, life->bound[i]),
             "a weak field lost a live object");
}

static void check_everything(struct api_life *life) {
  for (unsigned slot = 0; slot < API_THINGS; slot++)
    check_thing(life, slot);
  for (unsigned i = 0; i < API_HOLDERS; i++)
    check_holder(life, i);
}

static void step_replace(struct api_life *life) {
  replace(life, api_below(life, API_THINGS));
}

static void step_store(struct api_life *life) {
  unsigned from = api_some_slot(life), to = api_some_slot(life);
  if (from == API_THINGS || to == API_THINGS || life->things[from].kind != API_LEAF ||
      (life->things[to].kind != API_PAIR && life->things[to].kind != API_TABLE))
    return;
  unsigned child = api_below(life, 2);
  world_set(life->handles[to], api_child_word(&life->things[to], child), api_object_at(life, from));
  life->things[to].children[child] = life->things[from].number;
}

static void check_list(const struct api_life *life, struct spgc_ref pair, uint64_t length) {
  for (uint64_t i = 0; i < length; i++) {
    api_expect(life, spgc_is_heap_reference(pair), "a list is too short");
    const uint64_t *words = spgc_ref_memory(pair);
    api_expect(life, words[0] == (uintptr_t)&world_pair && words[1] == i,
               "an element of a list is another one");
    pair = spgc_ref_from_word(words[2]);
  }
  api_expect(life, spgc_ref_is_null(pair), "a list is too long");
}

static void step_list(struct api_life *life) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle head = spgc_handle_make(spgc_ref_null());
  uint64_t length = 1 + api_below(life, world_is_stressed() ? 10 : 400);
  for (uint64_t left = length; left-- != 0;) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    if (spgc_ref_is_null(pair))
      goto close;
    uint64_t *words = spgc_ref_memory(pair);
    words[1] = left;
    words[2] = spgc_handle_get(head).word; /* a new object needs no barrier */
    spgc_handle_set(head, pair);
  }
  check_list(life, spgc_handle_get(head), length);
close:
  spgc_scope_close(scope);
}

static void step_check(struct api_life *life) {
  check_everything(life);
}

static void step_global(struct api_life *life) {
  unsigned i = api_below(life, API_GLOBALS), slot = api_some_slot(life);
  if (life->global_numbers[i] != 0) {
    api_expect(life, api_number_of(spgc_handle_get(life->globals[i])) == life->global_numbers[i],
               "a global handle has another thing");
    life->global_numbers[i] = 0;
    spgc_global_handle_release(life->globals[i]);
  } else if (slot != API_THINGS) {
    life->globals[i] = spgc_global_handle_make(api_object_at(life, slot));
    life->global_numbers[i] = life->things[slot].number;
  }
}

static void step_scope(struct api_life *life) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle handles[40];
  unsigned slot = api_below(life, API_THINGS), count = 1 + api_below(life, 40);
  for (unsigned i = 0; i < count; i++)
    handles[i] = spgc_handle_make(api_object_at(life, slot));
  spgc_allocate(&world_leaf);
  for (unsigned i = 0; i < count; i++)
    api_expect(life, spgc_ref_equal(spgc_handle_get(handles[i]), api_object_at(life, slot)),
               "handles of one thing differ");
  spgc_scope_close(scope);
}

static void step_bind(struct api_life *life) {
  unsigned i = api_below(life, API_HOLDERS), slot = api_some_slot(life);
  if (slot == API_THINGS)
    return;
  if (spgc_ref_is_null(spgc_handle_get(life->holders[i])))
    spgc_handle_set(life->holders[i], spgc_allocate(&world_holder));
  struct spgc_ref holder = spgc_handle_get(life->holders[i]);
  if (spgc_ref_is_null(holder) || life->things[slot].kind == API_NOTHING)
    return;
  check_holder(life, i);
  struct spgc_error error = {0};
  enum spgc_result bound =
      spgc_weak_bind(holder, WORLD_WEAK_OFFSET, api_object_at(life, slot), &error);
  api_expect(life, bound == SPGC_OK, error.message);
  life->bound[i] = life->things[slot].number;
}

/* The value, a pair that refers to the key, must not keep it alive. */
static void step_map(struct api_life *life) {
  unsigned slot = api_some_slot(life);
  if (slot == API_THINGS)
    return;
  struct api_thing *thing = &life->things[slot];
  if (api_below(life, 3) == 0) {
    api_expect(life, spgc_weak_map_remove(life->map, api_object_at(life, slot)) == thing->has_value,
               "spgc_weak_map_remove");
    thing->has_value = false;
    return;
  }
  struct spgc_ref pair = spgc_allocate(&world_pair);
  if (spgc_ref_is_null(pair))
    return;
  uint64_t *words = spgc_ref_memory(pair);
  words[1] = thing->number;
  words[2] = api_object_at(life, slot).word;
  api_expect(life, spgc_weak_map_set(life->map, api_object_at(life, slot), pair, NULL) == SPGC_OK,
             "spgc_weak_map_set");
  thing->has_value = true;
}

static void empty_queue(const struct api_life *life) {
  struct spgc_finalizer finalizer;
  while (spgc_finalizer_next(&finalizer)) {
    uint64_t registration = finalizer.held.word / 2;
    api_expect(life, api_number_of(finalizer.object) == finalizers[registration].number,
               "another object was queued");
    api_expect(life, atomic_fetch_add(&finalizers[registration].queued, 1) == 0,
               "a registration was queued twice");
  }
}

static void step_finalizer(struct api_life *life) {
  unsigned slot = api_some_slot(life);
  if (slot == API_THINGS)
    return;
  struct api_thing *thing = &life->things[slot];
  if (thing->registration != 0) {
    finalizers[thing->registration].cancelled = true;
    thing->registration = 0;
    api_expect(life, spgc_finalizer_cancel(api_object_at(life, slot)), "spgc_finalizer_cancel");
    return;
  }
  unsigned registration = atomic_fetch_add(&api_cycle.registrations, 1) + 1;
  if (registration >= API_REGISTRATIONS)
    return;
  finalizers[registration].number = thing->number;
  thing->registration = registration;
  struct spgc_ref held = spgc_ref_from_word(2 * (uintptr_t)registration + 1);
  api_expect(life, spgc_finalizer_register(api_object_at(life, slot), held, NULL) == SPGC_OK,
             "spgc_finalizer_register");
}

static void step_queue(struct api_life *life) {
  empty_queue(life);
}

static void step_pin(struct api_life *life) {
  unsigned slot = api_some_slot(life);
  if (slot == API_THINGS)
    return;
  struct api_thing *thing = &life->things[slot];
  if (thing->pins == 2 || (thing->pins == 0 && life->pinned == API_PINS)) {
    unpin(life, thing);
    return;
  }
  api_expect(life, spgc_pin(api_object_at(life, slot), NULL) == SPGC_OK, "spgc_pin");
  life->pinned += thing->pins == 0;
  thing->pins++;
  thing->address = api_object_at(life, slot).word;
}

static void step_hash(struct api_life *life) {
  unsigned slot = api_some_slot(life);
  if (slot != API_THINGS)
    life->things[slot].hash = spgc_identity_hash(api_object_at(life, slot));
}

/* No other thread can choose the number. */
static uint64_t signed_number(uint64_t number) {
  return number << 32 | (number * UINT32_C(0x9E3779B1) & UINT32_MAX);
}

static void step_give(struct api_life *life) {
  struct spgc_ref leaf = spgc_allocate(&world_leaf);
  if (spgc_ref_is_null(leaf))
    return;
  ((uint64_t *)spgc_ref_memory(leaf))[1] = signed_number(api_below(life, 1u << 31));
  world_set(api_cycle.exchange, 2 + api_below(life, API_EXCHANGED), leaf);
}

static void step_take(struct api_life *life) {
  uint64_t *field = world_field(api_cycle.exchange, 2 + api_below(life, API_EXCHANGED));
  struct spgc_ref found = spgc_ref_from_word(__atomic_load_n(field, __ATOMIC_ACQUIRE));
  if (spgc_ref_is_null(found))
    return;
  const uint64_t *words = spgc_ref_memory(found);
  api_expect(life, words[0] == (uintptr_t)&world_leaf && words[1] == signed_number(words[1] >> 32),
             "what was exchanged is damaged");
}

static void step_minor(struct api_life *life) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  check_everything(life);
}

static void step_full(struct api_life *life) {
  spgc_collect(SPGC_COLLECTION_FULL);
  check_everything(life);
}

static void step_verify(struct api_life *life) {
  struct spgc_error error;
  if (spgc_heap_verify(&error) != SPGC_OK)
    api_disagree(life, error.message);
}

static void step_statistics(struct api_life *life) {
  struct spgc_statistics statistics = world_statistics();
  api_expect(life, statistics.heap_bytes <= statistics.peak_heap_bytes,
             "the heap is larger than it ever was");
  api_expect(life, statistics.peak_heap_bytes <= api_cycle.limit,
             "the heap was larger than its limit");
}

struct step_kind {
  void (*take)(struct api_life *life);
  const char *name;
  unsigned weight;
};

static const struct step_kind step_kinds[] = {
    {step_replace, "replace", 500},
    {step_store, "store", 250},
    {step_list, "list", 60},
    {step_check, "check", 30},
    {step_global, "global", 80},
    {step_scope, "scope", 60},
    {step_bind, "bind", 80},
    {step_map, "map", 100},
    {step_finalizer, "finalizer", 60},
    {step_queue, "queue", 20},
    {step_pin, "pin", 60},
    {step_hash, "hash", 60},
    {step_give, "give", 60},
    {step_take, "take", 60},
    {step_minor, "minor", 4},
    {step_full, "full", 2},
    {step_verify, "verify", 1},
    {api_step_poll, "poll", 60},
    {api_step_interrupt, "interrupt", 30},
    {api_step_block, "block", 40},
    {api_step_profile, "profile", 4},
    {api_step_protect, "protect", 20},
    {api_step_fiber, "fiber", 60},
    {api_step_hoard, "hoard", 1},
    {api_step_module, "module", 40},
    {api_step_library, "library", 2},
    {step_statistics, "statistics", 10},
};
const size_t api_step_kinds = sizeof step_kinds / sizeof step_kinds[0];
_Static_assert(sizeof step_kinds / sizeof step_kinds[0] <= API_MOST_STEPS,
               "more kinds of steps than are counted");

const char *api_step_name(size_t kind) {
  return step_kinds[kind].name;
}

static size_t random_kind(struct api_life *life) {
  unsigned all = 0;
  for (size_t i = 0; i < api_step_kinds; i++)
    all += step_kinds[i].weight;
  unsigned choice = api_below(life, all);
  size_t kind = 0;
  while (choice >= step_kinds[kind].weight)
    choice -= step_kinds[kind++].weight;
  return kind;
}

void api_take_step(struct api_life *life) {
  size_t kind = random_kind(life);
  life->step++;
  step_kinds[kind].take(life);
  atomic_fetch_add_explicit(&api_taken[kind], 1, memory_order_relaxed);
  check_thing(life, api_below(life, API_THINGS));
}

void api_life_begin(struct api_life *life) {
  api_self = life;
  for (unsigned slot = 0; slot < API_THINGS; slot++)
    life->handles[slot] = spgc_handle_make(spgc_ref_null());
  for (unsigned i = 0; i < API_HOLDERS; i++)
    life->holders[i] = spgc_handle_make(spgc_ref_null());
  life->owner = spgc_handle_make(spgc_allocate(&world_leaf));
  api_expect(life, spgc_weak_map_create(spgc_handle_get(life->owner), &life->map, NULL) == SPGC_OK,
             "spgc_weak_map_create");
}

void api_life_run(struct api_life *life) {
  for (uint64_t i = 0; i < life->steps; i++) {
    api_take_step(life);
    if (life->ending == API_IS_CANCELLED && life->index % 2 == 0) /* others: on a fiber */
      pthread_testcancel();
  }
}

static void settle_things(struct api_life *life) {
  for (unsigned slot = 0; slot < API_THINGS; slot++) {
    struct api_thing *thing = &life->things[slot];
    if (thing->address != 0)
      api_check_contents(life, thing, spgc_ref_from_word(thing->address));
    unpin(life, thing);
  }
}

void api_life_settle(struct api_life *life) {
  settle_things(life);
  for (unsigned i = 0; i < API_GLOBALS; i++)
    if (life->global_numbers[i] != 0) {
      api_expect(life, api_number_of(spgc_handle_get(life->globals[i])) == life->global_numbers[i],
                 "a global handle that was left has another thing");
      spgc_global_handle_release(life->globals[i]);
      life->global_numbers[i] = 0;
    }
  if (life->registered)
    api_unregister_module(life);
}

void api_cycle_begin(uint64_t seed, uint64_t limit) {
  api_cycle.seed = seed;
  api_cycle.limit = limit;
  atomic_store(&api_cycle.registrations, 0);
  memset(finalizers, 0, sizeof finalizers);
  api_cycle.exchange =
      spgc_global_handle_make(spgc_allocate_array(&world_references, API_EXCHANGED));
}

static void check_registrations(void) {
  unsigned count = atomic_load(&api_cycle.registrations);
  for (unsigned i = 1; i <= count && i < API_REGISTRATIONS; i++)
    api_expect(NULL, atomic_load(&finalizers[i].queued) == !finalizers[i].cancelled,
               "what was registered was not queued once, or what was cancelled was queued");
}

void api_cycle_end(void) {
  for (int i = 0; i < 2; i++) { /* objects queued by the first are dead for the second */
    spgc_collect(SPGC_COLLECTION_FULL);
    empty_queue(NULL);
  }
  check_registrations();
  api_expect(NULL, spgc_types_live(&world_pair, &world_pair + 1) == 0, "pairs are left");
  api_expect(NULL, spgc_types_live(&world_holder, &world_holder + 1) == 0, "holders are left");
}
