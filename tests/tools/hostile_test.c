/* Damaged maps and object files: each is refused with a reason or read, but not beyond its end,
 * where an inaccessible page begins.
 *
 * usage: hostile_test CORPUS_DIRECTORY */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/support/random.h"
#include "tests/support/stackmap_survey.h"
#include "tests/support/suite.h"

enum {
  ROOM = 1 << 14,
  PAGE = 4096,
  SAMPLES_MOST = 64,
  MAP_MUTATIONS = 200000,
  FILE_MUTATIONS = 50000
};

struct sample {
  char name[256];
  unsigned char bytes[ROOM / 2];
  size_t size;
};

static const char *corpus;
static unsigned char *room_end; /* first inaccessible byte */
static struct sample samples[SAMPLES_MOST];
static size_t sample_count;

static void make_room(void) {
  unsigned char *room =
      mmap(NULL, ROOM + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(room, MAP_FAILED);
  room_end = room + ROOM;
  ck_assert_int_eq(mprotect(room_end, PAGE, PROT_NONE), 0);
}

static void load_samples(const char *kind) {
  char folder[512], path[1024];
  snprintf(folder, sizeof folder, "%s/%s", corpus, kind);
  DIR *directory = opendir(folder);
  ck_assert_msg(directory != NULL, "no directory %s", folder);
  sample_count = 0;
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
    if (entry->d_name[0] == '.')
      continue;
    ck_assert_uint_lt(sample_count, SAMPLES_MOST);
    struct sample *sample = &samples[sample_count++];
    snprintf(sample->name, sizeof sample->name, "%s", entry->d_name);
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    sample->size = fread(sample->bytes, 1, sizeof sample->bytes, file);
    ck_assert_uint_lt(sample->size, sizeof sample->bytes);
    fclose(file);
  }
  closedir(directory);
  ck_assert_uint_gt(sample_count, 0);
}

/* Flips, overwrites with telling values, cuts and growth. */
static size_t mutate(struct random *random, const struct sample *sample, unsigned char **copy) {
  size_t size = sample->size;
  switch (random_below(random, 4)) {
  case 0: size = 1 + random_below(random, size); break;
  case 1: size += 1 + random_below(random, 64); break;
  }
  *copy = room_end - size;
  for (size_t i = sample->size; i < size; i++)
    (*copy)[i] = (unsigned char)random_next(random);
  memcpy(*copy, sample->bytes, size < sample->size ? size : sample->size);
  static const uint64_t telling[] = {0,          1,          0x7f,      0xff, 0xffff, 0x7fffffff,
                                     0xffffffff, UINT64_MAX, 0x1000000, 5,    3};
  for (uint64_t changes = random_below(random, 6); changes > 0; changes--) {
    size_t at = random_below(random, size), width = (size_t)1 << random_below(random, 4);
    uint64_t value = telling[random_below(random, sizeof telling / sizeof telling[0])];
    if (random_below(random, 2) == 0)
      (*copy)[at] ^= (unsigned char)(1u << random_below(random, 8));
    else
      memcpy(*copy + at, &value, width < size - at ? width : size - at);
  }
  return size;
}

static void damage(const char *test, bool (*survey)(const unsigned char *, size_t), int mutations) {
  struct random random = random_start(test);
  int accepted = 0;
  for (int round = 0; round < mutations; round++) {
    unsigned char *copy;
    size_t size = mutate(&random, &samples[random_below(&random, sample_count)], &copy);
    accepted += survey(copy, size);
  }
  ck_assert_int_gt(accepted, 0);
  ck_assert_int_lt(accepted, mutations);
}

/* A cut file may be whole. */
static void cut_everywhere(bool (*survey)(const unsigned char *, size_t)) {
  for (size_t i = 0; i < sample_count; i++)
    for (size_t size = 0; size <= samples[i].size; size++)
      survey(memcpy(room_end - size, samples[i].bytes, size), size);
}

START_TEST(real_maps_are_read) {
  load_samples("maps");
  size_t parsed = 0;
  for (size_t i = 0; i < sample_count; i++) {
    const char *name = samples[i].name;
    bool accepted = survey_section(samples[i].bytes, samples[i].size);
    /* Registration takes x86-64 maps in the machine's byte order; in version 1 owners are
     * unknown. */
    if (strncmp(name, "statepoints-x86_64", 18) == 0 && strstr(name, "little") != NULL &&
        strstr(name, "v1") == NULL)
      ck_assert_msg(accepted, "%s", name);
    parsed += accepted;
    ck_assert_msg(survey_file(samples[i].bytes, samples[i].size), "%s", name);
  }
  ck_assert_uint_gt(parsed, 0);
}
END_TEST

START_TEST(real_files_are_read) {
  load_samples("objects");
  for (size_t i = 0; i < sample_count; i++)
    ck_assert_msg(survey_file(samples[i].bytes, samples[i].size), "%s", samples[i].name);
}
END_TEST

START_TEST(maps_cut_anywhere_are_survived) {
  load_samples("maps");
  cut_everywhere(survey_section);
}
END_TEST

START_TEST(files_cut_anywhere_are_survived) {
  load_samples("objects");
  cut_everywhere(survey_file);
}
END_TEST

START_TEST(damaged_maps_are_survived) {
  load_samples("maps");
  damage("damaged_maps_are_survived", survey_section, MAP_MUTATIONS);
}
END_TEST

START_TEST(damaged_files_are_survived) {
  load_samples("objects");
  damage("damaged_files_are_survived", survey_file, FILE_MUTATIONS);
}
END_TEST

int main(int count, char **words) {
  if (count != 2)
    return EXIT_FAILURE;
  corpus = words[1];
  Suite *suite = suite_create("hostile files");
  TCase *tests = tcase_create("hostile files");
  tcase_set_timeout(tests, 240);
  tcase_add_unchecked_fixture(tests, make_room, NULL);
  tcase_add_test(tests, real_maps_are_read);
  tcase_add_test(tests, real_files_are_read);
  tcase_add_test(tests, maps_cut_anywhere_are_survived);
  tcase_add_test(tests, files_cut_anywhere_are_survived);
  tcase_add_test(tests, damaged_maps_are_survived);
  tcase_add_test(tests, damaged_files_are_survived);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
