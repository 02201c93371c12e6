#ifndef SPGC_TESTS_WEAK_MAPS_H
#define SPGC_TESTS_WEAK_MAPS_H

#include "spgc/handle.h"
#include "spgc/weak_map.h"
#include "tests/support/assertions.h"

static inline struct spgc_weak_map weak_map_new(struct spgc_ref owner) {
  struct spgc_weak_map map;
  struct spgc_error error;
  enum spgc_result result = spgc_weak_map_create(owner, &map, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  return map;
}

static inline void weak_map_set(struct spgc_weak_map map, struct spgc_handle key,
                                struct spgc_handle value) {
  struct spgc_error error;
  enum spgc_result result =
      spgc_weak_map_set(map, spgc_handle_get(key), spgc_handle_get(value), &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

static inline uint64_t number_of(struct spgc_ref object) {
  return ((const uint64_t *)spgc_ref_memory(object))[1];
}

#endif
