#include "api_things.h"

#include <inttypes.h>

#include "spgc/identity.h"
#include "tests/support/assertions.h"

_Noreturn void api_disagree(const struct api_life *life, const char *what) {
  ck_abort_msg("%s (SPGC_TEST_SEED=%" PRIu64 ", life %" PRIu64 ", step %" PRIu64 ")", what,
               api_cycle.seed, life != NULL ? life->index : 0, life != NULL ? life->step : 0);
}

void api_expect(const struct api_life *life, bool condition, const char *what) {
  if (!condition)
    api_disagree(life, what);
}

unsigned api_below(struct api_life *life, unsigned bound) {
  return (unsigned)random_below(&life->random, bound);
}

uint64_t api_new_number(struct api_life *life) {
  return life->index << 32 | ++life->numbers;
}

static unsigned number_word(const struct spgc_type *type) {
  return type == &world_records ? 4 : type == &world_bytes ? 2 : 1;
}

uint64_t api_number_of(struct spgc_ref object) {
  const uint64_t *words = spgc_ref_memory(object);
  return words[number_word((const struct spgc_type *)words[0])];
}

/* 0 for null. */
uint64_t api_number_at(struct spgc_ref object) {
  return spgc_ref_is_null(object) ? 0 : api_number_of(object);
}

static const struct spgc_type *type_of(const struct api_thing *thing) {
  static const struct spgc_type *const types[] = {NULL, &world_leaf, &world_pair, &world_bytes,
                                                  &world_records};
  return types[thing->kind];
}

/* Of a table, the first record's first word and the last record's last one. */
unsigned api_child_word(const struct api_thing *thing, unsigned child) {
  enum { FIRST_RECORD = 3, RECORD_WORDS = 3 };
  if (thing->kind == API_PAIR)
    return 2 + child;
  return child == 0 ? FIRST_RECORD : FIRST_RECORD + RECORD_WORDS * thing->length - 1;
}

struct spgc_ref api_allocate_thing(const struct api_thing *thing) {
  return thing->length == 0 ? spgc_allocate(type_of(thing))
                            : spgc_allocate_array(type_of(thing), thing->length);
}

void api_inscribe(const struct api_thing *thing, struct spgc_ref object) {
  uint64_t *words = spgc_ref_memory(object);
  words[number_word(type_of(thing))] = thing->number;
  if (thing->kind == API_LARGE)
    ((uint8_t *)(words + 2))[thing->length - 1] = (uint8_t)thing->number;
}

void api_check_contents(const struct api_life *life, const struct api_thing *thing,
                        struct spgc_ref object) {
  const uint64_t *words = spgc_ref_memory(object);
  api_expect(life, spgc_is_heap_reference(object) && words[0] == (uintptr_t)type_of(thing),
             "a thing has another type");
  api_expect(life, api_number_of(object) == thing->number, "a thing is another one");
  if (thing->kind == API_PAIR || thing->kind == API_TABLE)
    for (unsigned i = 0; i < 2; i++)
      api_expect(life,
                 api_number_at(spgc_ref_from_word(words[api_child_word(thing, i)])) ==
                     thing->children[i],
                 "a child is another one");
  if (thing->kind == API_LARGE)
    api_expect(life,
               words[1] == thing->length &&
                   ((const uint8_t *)(words + 2))[thing->length - 1] == (uint8_t)thing->number,
               "a large thing has other bytes");
}
