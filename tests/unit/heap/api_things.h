#ifndef SPGC_TESTS_API_THINGS_H
#define SPGC_TESTS_API_THINGS_H

#include "api_random.h"

/* Ends the test on any thread, which Check's assertions cannot, and prints how to repeat it. */
_Noreturn void api_disagree(const struct api_life *life, const char *what);
void api_expect(const struct api_life *life, bool condition, const char *what);

unsigned api_below(struct api_life *life, unsigned bound);

/* An object's number; 0 for null, if allowed. */
uint64_t api_new_number(struct api_life *life);
uint64_t api_number_of(struct spgc_ref object);
uint64_t api_number_at(struct spgc_ref object);

struct spgc_ref api_allocate_thing(const struct api_thing *thing);
void api_inscribe(const struct api_thing *thing, struct spgc_ref object);

unsigned api_child_word(const struct api_thing *thing, unsigned child);
void api_check_contents(const struct api_life *life, const struct api_thing *thing,
                        struct spgc_ref object);

static inline struct spgc_ref api_object_at(const struct api_life *life, unsigned slot) {
  return spgc_handle_get(life->handles[slot]);
}

#endif
