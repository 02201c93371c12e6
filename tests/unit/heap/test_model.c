/* Random mutation, allocation and collection, compared with a model of plain arrays.
 *
 * After each batch, a mutator walks its graph in heap and model. All exchange objects through a
 * large array. SPGC_MODEL_STEPS, SPGC_MODEL_SEED and SPGC_MODEL_THREADS override the defaults; a
 * failure prints the seed. */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "heap_world.h"
#include "support/random.h"

enum {
  ROOTS = 200,
  OBJECTS = 20000,
  STEPS = 200000,
  BATCH = 2000,
  LONGEST = 3000,
  EXCHANGED = 5000,
  MOST_THREADS = 4,
  NO_OBJECT = 0,
};

/* An object's number is in a word without references, or (values) a small immediate. */
enum kind { LEAF, PAIR, REFERENCES, RECORDS, VALUES, KINDS };

struct cell {
  uint32_t object; /* number of the object it refers to, or NO_OBJECT */
  uint64_t word;   /* otherwise its contents */
};

struct object {
  bool exists, reached;
  enum kind kind;
  uint32_t length, cell_count;
  struct cell *cells; /* the words that may hold references, in order */
  uintptr_t address;  /* its first address in a comparison */
};

struct model {
  struct object objects[OBJECTS]; /* by number; the first is unused */
  uint32_t pending[OBJECTS];
  uint32_t roots[ROOTS];
  struct spgc_handle handles[ROOTS];
  struct spgc_random random;
  uint64_t seed;
};

static _Thread_local struct model *model;

static uint64_t below(uint64_t bound) {
  return spgc_random_next(&model->random) % bound;
}

static const struct spgc_type *type_of(enum kind kind) {
  static const struct spgc_type *const types[KINDS] = {&world_leaf, &world_pair, &world_references,
                                                       &world_records, &world_value_array};
  return types[kind];
}

static unsigned word_of(enum kind kind, uint32_t i) {
  switch (kind) {
  case PAIR: return 2 + i;
  case REFERENCES: return 2 + i;
  case RECORDS: return i == 0 ? 2 : 3 + (i - 1) / 2 * 3 + ((i - 1) % 2) * 2;
  case VALUES: return 3 + i;
  default: break;
  }
  ck_abort_msg("kind %d has no cells", kind);
}

static uint32_t cells_of(enum kind kind, uint32_t length) {
  switch (kind) {
  case PAIR: return 2;
  case REFERENCES: return length;
  case RECORDS: return 1 + 2 * length;
  case VALUES: return length;
  default: return 0;
  }
}

static void disagree(uint32_t number, const char *what) {
  ck_abort_msg("object %u: %s (SPGC_MODEL_SEED=%" PRIu64 ")", number, what, model->seed);
}

static void mark_model(void) {
  uint32_t pending = 0;
  for (uint32_t i = 1; i < OBJECTS; i++)
    model->objects[i].reached = false;
  for (uint32_t i = 0; i < ROOTS; i++)
    if (model->roots[i] != NO_OBJECT && !model->objects[model->roots[i]].reached) {
      model->objects[model->roots[i]].reached = true;
      model->pending[pending++] = model->roots[i];
    }
  while (pending != 0) {
    const struct object *object = &model->objects[model->pending[--pending]];
    for (uint32_t i = 0; i < object->cell_count; i++) {
      uint32_t target = object->cells[i].object;
      if (target != NO_OBJECT && !model->objects[target].reached) {
        model->objects[target].reached = true;
        model->pending[pending++] = target;
      }
    }
  }
}

static void forget_unreached(void) {
  mark_model();
  for (uint32_t i = 1; i < OBJECTS; i++)
    if (model->objects[i].exists && !model->objects[i].reached) {
      free(model->objects[i].cells);
      model->objects[i] = (struct object){0};
    }
}

/* An unused number; drops roots until there is one. */
static uint32_t free_number(void) {
  for (;;) {
    uint32_t start = (uint32_t)below(OBJECTS);
    for (uint32_t i = 0; i < 64; i++) {
      uint32_t number = (start + i) % OBJECTS;
      if (number != NO_OBJECT && !model->objects[number].exists)
        return number;
    }
    for (int dropped = 0; dropped < ROOTS / 4; dropped++) {
      uint32_t root = (uint32_t)below(ROOTS);
      model->roots[root] = NO_OBJECT;
      spgc_handle_set(model->handles[root], spgc_ref_null());
    }
    forget_unreached();
  }
}

static uint32_t random_length(void) {
  uint64_t choice = below(1000);
  if (choice == 0)
    return (uint32_t)below(LONGEST);
  return (uint32_t)below(choice < 100 ? 100 : 8);
}

/* Arrays of references, and records without elements, have no space for a number. */
static void set_number(struct spgc_ref ref, enum kind kind, uint32_t number) {
  uint64_t *words = spgc_ref_memory(ref);
  if (kind == LEAF || kind == PAIR)
    words[1] = number;
  else if (kind == VALUES)
    words[2] = number;
  else if (kind == RECORDS && words[1] != 0)
    words[4] = number;
}

static uint32_t get_number(struct spgc_ref ref, enum kind kind, uint32_t expected) {
  const uint64_t *words = spgc_ref_memory(ref);
  if (kind == LEAF || kind == PAIR)
    return (uint32_t)words[1];
  if (kind == VALUES)
    return (uint32_t)words[2];
  return kind == RECORDS && words[1] != 0 ? (uint32_t)words[4] : expected;
}

/* Only a long array needs the barrier, because no safepoint intervenes. */
static void link_new(struct object *object, struct spgc_ref ref, uint32_t root) {
  uint64_t *words = spgc_ref_memory(ref);
  for (uint32_t i = 0; i < object->cell_count && i < 3; i++) {
    uint32_t from = i == 0 ? root : (uint32_t)below(ROOTS);
    object->cells[i].object = model->roots[from];
    struct spgc_ref referent = spgc_handle_get(model->handles[from]);
    uint64_t *word = &words[word_of(object->kind, i)];
    if (object->length > SPGC_MOST_FRESH_ELEMENTS)
      spgc_store(spgc_slot_at((void *)word), referent);
    else
      *word = referent.word;
  }
}

static void allocate_into(uint32_t root) {
  enum kind kind = (enum kind)below(KINDS);
  uint32_t length = kind == LEAF || kind == PAIR ? 0 : random_length();
  uint32_t number = free_number();
  struct spgc_ref ref = kind == LEAF || kind == PAIR ? spgc_allocate(type_of(kind))
                                                     : spgc_allocate_array(type_of(kind), length);
  if (spgc_ref_is_null(ref))
    disagree(number, "no memory");
  set_number(ref, kind, number);
  uint32_t count = cells_of(kind, length);
  model->objects[number] = (struct object){
      .exists = true, .kind = kind, .length = length, .cell_count = count, .cells = NULL};
  if (count != 0)
    model->objects[number].cells = calloc(count, sizeof(struct cell));
  link_new(&model->objects[number], ref, root);
  model->roots[root] = number;
  spgc_handle_set(model->handles[root], ref);
}

static uint32_t rooted(void) {
  for (;;) {
    uint32_t root = (uint32_t)below(ROOTS);
    if (model->roots[root] != NO_OBJECT)
      return root;
  }
}

static void mutate(void) {
  uint32_t into = rooted(), from = rooted();
  struct object *object = &model->objects[model->roots[into]];
  if (object->cell_count == 0)
    return;
  uint32_t cell = (uint32_t)below(object->cell_count);
  unsigned word = word_of(object->kind, cell);
  if (object->kind == VALUES && below(3) == 0) {
    object->cells[cell] = (struct cell){NO_OBJECT, UINT64_C(0x7ff8000000000000) | below(1 << 30)};
    world_set(model->handles[into], word, spgc_ref_from_word(object->cells[cell].word));
    return;
  }
  object->cells[cell] = (struct cell){model->roots[from], 0};
  world_set(model->handles[into], word, spgc_handle_get(model->handles[from]));
}

static void follow(void) {
  uint32_t from = rooted(), to = (uint32_t)below(ROOTS);
  const struct object *object = &model->objects[model->roots[from]];
  if (object->cell_count == 0)
    return;
  uint32_t cell = (uint32_t)below(object->cell_count);
  if (object->cells[cell].object == NO_OBJECT)
    return;
  spgc_handle_set(model->handles[to], world_get(model->handles[from], word_of(object->kind, cell)));
  model->roots[to] = object->cells[cell].object;
}

static void meet(uint32_t number, struct spgc_ref ref, uint32_t *pending) {
  struct object *object = &model->objects[number];
  if (object->address == 0) {
    object->address = ref.word;
    model->pending[(*pending)++] = number;
  } else if (object->address != ref.word) {
    disagree(number, "is in two places");
  }
}

static void compare_object(uint32_t number, uint32_t *pending) {
  const struct object *object = &model->objects[number];
  struct spgc_ref ref = spgc_ref_from_word(object->address);
  const uint64_t *words = spgc_ref_memory(ref);
  if (!spgc_is_heap_reference(ref) || words[0] != (uint64_t)type_of(object->kind))
    disagree(number, "has another type");
  if (object->kind != LEAF && object->kind != PAIR && words[1] != object->length)
    disagree(number, "has another length");
  if (get_number(ref, object->kind, number) != number)
    disagree(number, "is another object");
  for (uint32_t i = 0; i < object->cell_count; i++) {
    uint64_t word = words[word_of(object->kind, i)];
    if (object->cells[i].object != NO_OBJECT)
      meet(object->cells[i].object, spgc_ref_from_word(word), pending);
    else if (word != object->cells[i].word)
      disagree(number, "has other contents");
  }
}

static void compare(void) {
  uint32_t pending = 0;
  for (uint32_t i = 1; i < OBJECTS; i++)
    model->objects[i].address = 0;
  for (uint32_t i = 0; i < ROOTS; i++)
    if (model->roots[i] != NO_OBJECT)
      meet(model->roots[i], spgc_handle_get(model->handles[i]), &pending);
    else if (!spgc_ref_is_null(spgc_handle_get(model->handles[i])))
      disagree(NO_OBJECT, "a root is not null");
  while (pending != 0)
    compare_object(model->pending[--pending], &pending);
}

/* Leaves and pairs of leaves, for all mutators. */
static struct spgc_handle exchange;

/* No other mutator can choose the number. */
static uint64_t signed_number(uint64_t number) {
  return number << 32 | (number * UINT32_C(0x9E3779B1) & UINT32_MAX);
}

static struct spgc_ref exchanged_leaf(void) {
  struct spgc_ref leaf = spgc_allocate(&world_leaf);
  if (spgc_ref_is_null(leaf))
    disagree(NO_OBJECT, "no memory");
  ((uint64_t *)spgc_ref_memory(leaf))[1] = signed_number(below(1u << 31));
  return leaf;
}

static void put_into_exchange(void) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = spgc_handle_make(exchanged_leaf());
  world_set(exchange, 2 + (unsigned)below(EXCHANGED), spgc_handle_get(leaf));
  spgc_scope_close(scope);
}

static void take_from_exchange(void) {
  uint64_t *field = world_field(exchange, 2 + (unsigned)below(EXCHANGED));
  struct spgc_ref found = spgc_ref_from_word(__atomic_load_n(field, __ATOMIC_ACQUIRE));
  if (spgc_ref_is_null(found))
    return;
  const uint64_t *words = spgc_ref_memory(found);
  if (!spgc_is_heap_reference(found) || words[0] != (uint64_t)&world_leaf ||
      words[1] != signed_number(words[1] >> 32))
    disagree(NO_OBJECT, "what was exchanged is damaged");
}

static void step(void) {
  uint64_t choice = below(1000);
  if (choice < 320)
    allocate_into((uint32_t)below(ROOTS));
  else if (choice < 770)
    mutate();
  else if (choice < 968)
    follow();
  else if (choice < 983)
    put_into_exchange();
  else if (choice < 998)
    take_from_exchange();
  else
    spgc_collect(choice == 998 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
}

static void run_steps(uint64_t steps) {
  for (uint32_t i = 0; i < ROOTS; i++)
    model->handles[i] = spgc_handle_make(spgc_ref_null());
  allocate_into(0);
  for (uint64_t i = 0; i < steps; i++) {
    step();
    if (i % BATCH == BATCH - 1 || i == steps - 1) {
      compare();
      world_verify();
    }
  }
  for (uint32_t i = 1; i < OBJECTS; i++)
    free(model->objects[i].cells);
}

struct mutator {
  pthread_t thread;
  uint64_t seed, steps;
};

static void *mutate_heap(void *context) {
  const struct mutator *mutator = context;
  model = calloc(1, sizeof *model);
  ck_assert_ptr_nonnull(model);
  model->random.state = model->seed = mutator->seed;
  run_steps(mutator->steps);
  free(model);
  return NULL;
}

static void *mutate_attached(void *mutator) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  mutate_heap(mutator);
  spgc_thread_detach();
  return NULL;
}

static void *join(void *mutator) {
  ck_assert_int_eq(pthread_join(((struct mutator *)mutator)->thread, NULL), 0);
  return NULL;
}

START_TEST(random_graphs_survive_random_collections) {
  uint64_t steps = world_number("SPGC_MODEL_STEPS", STEPS),
           threads = world_number("SPGC_MODEL_THREADS", 1);
  uint64_t seed = world_number("SPGC_MODEL_SEED", UINT64_C(20240607));
  ck_assert_uint_le(threads, MOST_THREADS);
  printf("SPGC_MODEL_SEED=%" PRIu64 " SPGC_MODEL_STEPS=%" PRIu64 " SPGC_MODEL_THREADS=%" PRIu64
         "\n",
         seed, steps, threads);
  world_open("nursery=256k,limit=256m");
  exchange = spgc_global_handle_make(spgc_allocate_array(&world_references, EXCHANGED));
  struct mutator mutators[MOST_THREADS];
  for (uint64_t i = 0; i < threads; i++)
    mutators[i] = (struct mutator){.seed = seed + i, .steps = steps / threads};
  for (uint64_t i = 1; i < threads; i++)
    ck_assert_int_eq(pthread_create(&mutators[i].thread, NULL, mutate_attached, &mutators[i]), 0);
  mutate_heap(&mutators[0]);
  for (uint64_t i = 1; i < threads; i++)
    spgc_call_blocking(join, &mutators[i]);
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(1800, "heap-model", random_graphs_survive_random_collections)
