/* A real map, damaged in every way, before an inaccessible page. */
#include <string.h>
#include <sys/mman.h>

#include "spgc/stackmap.h"
#include "tests/support/random.h"
#include "tests/support/suite.h"

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

enum { ROOM = 1 << 16, PAGE = 4096 };

static unsigned char *room_end; /* first inaccessible byte */
static unsigned char pristine[ROOM];
static size_t pristine_size;

static void make_room(void) {
  unsigned char *room =
      mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(room, MAP_FAILED);
  room_end = room + ROOM;
  ck_assert_int_eq(mprotect(room_end, PAGE, PROT_NONE), 0);
  pristine_size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  ck_assert_uint_le(pristine_size, ROOM);
  memcpy(pristine, __start_test_stackmaps, pristine_size);
}

static enum spgc_result try_bytes(const unsigned char *bytes, size_t size) {
  struct spgc_stackmap *map;
  struct spgc_error error = {0};
  enum spgc_result result = spgc_stackmap_register(bytes, size, &map, &error);
  if (result == SPGC_OK) {
    spgc_stackmap_unregister(map);
  } else {
    ck_assert_int_eq(error.code, result);
    ck_assert_uint_gt(strlen(error.message), 0);
    ck_assert_uint_le(error.position, size);
  }
  return result;
}

static enum spgc_result try_copy(const unsigned char *bytes, size_t size) {
  unsigned char *copy = room_end - size;
  memcpy(copy, bytes, size);
  return try_bytes(copy, size);
}

START_TEST(whole_map_is_read) {
  ck_assert_int_eq(try_copy(pristine, pristine_size), SPGC_OK);
}
END_TEST

START_TEST(every_truncation_is_refused_except_between_blobs) {
  unsigned accepted = 0;
  for (size_t size = 1; size < pristine_size; size++) {
    enum spgc_result result = try_copy(pristine, size);
    ck_assert(result == SPGC_OK || result == SPGC_ERROR_MALFORMED);
    if (result == SPGC_OK) {
      ck_assert_uint_eq(size % 8, 0);
      ck_assert_uint_eq(pristine[size], 3);
      accepted++;
    }
  }
  ck_assert_uint_eq(accepted, 1); /* this test's two objects have one blob each */
}
END_TEST

/* Flips one or all bits, or clears the byte. */
START_TEST(every_damaged_byte_is_survived) {
  for (size_t i = 0; i < pristine_size; i++) {
    const unsigned char byte = pristine[i];
    const unsigned char damaged[] = {byte ^ 1,  byte ^ 2,  byte ^ 4,   byte ^ 8,    byte ^ 16,
                                     byte ^ 32, byte ^ 64, byte ^ 128, byte ^ 0xFF, 0};
    for (size_t k = 0; k < sizeof damaged; k++) {
      unsigned char *copy = room_end - pristine_size;
      memcpy(copy, pristine, pristine_size);
      copy[i] = damaged[k];
      try_bytes(copy, pristine_size);
    }
  }
}
END_TEST

START_TEST(random_damage_is_survived) {
  enum { MUTATIONS = 20000 };
  struct random random = random_start("random_damage_is_survived");
  for (int round = 0; round < MUTATIONS; round++) {
    size_t size =
        random_below(&random, 4) == 0 ? 1 + random_below(&random, pristine_size) : pristine_size;
    unsigned char *copy = room_end - size;
    memcpy(copy, pristine, size);
    for (uint64_t changes = 1 + random_below(&random, 8); changes > 0; changes--)
      copy[random_below(&random, size)] = (unsigned char)random_next(&random);
    try_bytes(copy, size);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("damaged maps");
  TCase *tests = tcase_create("damaged maps");
  tcase_set_timeout(tests, 120);
  tcase_add_unchecked_fixture(tests, make_room, NULL);
  tcase_add_test(tests, whole_map_is_read);
  tcase_add_test(tests, every_truncation_is_refused_except_between_blobs);
  tcase_add_test(tests, every_damaged_byte_is_survived);
  tcase_add_test(tests, random_damage_is_survived);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
