#include "heap_world.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap/vacated.h"
#include "spgc/weak.h"
#include "tests/support/assertions.h"

static const uint32_t pair_references[] = {16, 24};
static const uint32_t first_word[] = {0};
static const uint32_t third_word[] = {16};
static const uint32_t record_references[] = {0, 16};
static const uint32_t holder_references[] = {24};

const struct spgc_type world_leaf = {.size = 16, .name = "leaf"};
const struct spgc_type world_pair = {
    .size = 32, .reference_count = 2, .reference_offsets = pair_references, .name = "pair"};
const struct spgc_type world_references = {.size = 16,
                                           .element_size = 8,
                                           .flags = SPGC_TYPE_TAIL,
                                           .element_reference_count = 1,
                                           .element_reference_offsets = first_word,
                                           .name = "references"};
const struct spgc_type world_bytes = {
    .size = 16, .element_size = 1, .flags = SPGC_TYPE_TAIL, .name = "bytes"};
const struct spgc_type world_values = {.size = 24, .flags = SPGC_TYPE_VALUES, .name = "values"};
const struct spgc_type world_value_array = {.size = 24,
                                            .element_size = 8,
                                            .flags = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES |
                                                     SPGC_TYPE_TAIL_VALUES,
                                            .name = "value array"};
const struct spgc_type world_records = {.size = 24,
                                        .element_size = 24,
                                        .flags = SPGC_TYPE_TAIL,
                                        .reference_count = 1,
                                        .reference_offsets = third_word,
                                        .element_reference_count = 2,
                                        .element_reference_offsets = record_references,
                                        .name = "records"};
const struct spgc_type world_holder = {
    .size = 32, .reference_count = 1, .reference_offsets = holder_references, .name = "holder"};

/* SPGC_OPTIONS before any test required anything, and now; none if it is wrong, which starting a
 * heap reports. */
static const char *outer_options;
static struct spgc_options wanted;
static bool
  requires;

static void read_options(void) {
  const char *environment = getenv("SPGC_OPTIONS");
  spgc_options_default(&wanted);
  if (environment != NULL)
    spgc_options_parse(&wanted, environment, NULL);
}

static __attribute__((constructor)) void read_outer_options(void) {
  const char *environment = getenv("SPGC_OPTIONS");
  outer_options = strdup(environment != NULL ? environment : "");
  read_options();
}

static void set_options(const char *text) {
  ck_assert_int_eq(setenv("SPGC_OPTIONS", text, 1), 0);
  read_options();
}

void world_require(const char *settings) {
  char *both;
  const char *comma = *outer_options != '\0' && *settings != '\0' ? "," : "";
  ck_assert_int_ge(asprintf(&both, "%s%s%s", outer_options, comma, settings), 0);
  set_options(both);
  free(both);
  requires = true;
}

void world_open_at(void *base, const char *text) {
  struct spgc_options options;
  struct spgc_error error;
  spgc_options_default(&options);
  options.overhead = SPGC_OVERHEAD_OFF; /* depends on the clock */
  enum spgc_result result = spgc_options_parse(&options, text, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  result = spgc_start(&options, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  result = spgc_thread_attach(base, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

void world_open_fixed_at(void *base, const char *options) {
  char *settings;
  ck_assert_int_ge(
      asprintf(&settings,
               "stress=none,move=default,born=default,compact=default,nursery=0,pause=0%s%s",
               *options != '\0' ? "," : "", options),
      0);
  world_require(settings);
  free(settings);
  world_open_at(base, "");
}

void world_verify(void) {
  struct spgc_error error;
  enum spgc_result result = spgc_heap_verify(&error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

void world_close(void) {
  world_verify();
  spgc_thread_detach();
  spgc_stop();
  if (requires)
    set_options(outer_options);
  requires = false;
}

bool world_is_stressed(void) {
  return wanted.stress == SPGC_STRESS_EVERY_ALLOCATION;
}

bool world_verifies(void) {
  return wanted.verify == SPGC_VERIFY_FULL;
}

bool world_poisons(void) {
  return wanted.poison;
}

static bool world_moves_always(void) {
  return wanted.move == SPGC_MOVE_ALWAYS;
}

uint64_t world_number(const char *variable, uint64_t otherwise) {
  const char *text = getenv(variable);
  return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

uint64_t world_amount(uint64_t plain, uint64_t verified, uint64_t stressed) {
  return world_is_stressed() ? stressed : world_verifies() ? verified : plain;
}

struct spgc_statistics world_statistics(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics;
}

void *world_field(struct spgc_handle object, unsigned word) {
  return (uint64_t *)spgc_ref_memory(spgc_handle_get(object)) + word;
}

struct spgc_ref world_get(struct spgc_handle object, unsigned word) {
  return spgc_slot_load(spgc_slot_at(world_field(object, word)));
}

void world_set(struct spgc_handle object, unsigned word, struct spgc_ref value) {
  spgc_store(spgc_slot_at(world_field(object, word)), value);
}

uint64_t world_get_word(struct spgc_handle object, unsigned word) {
  return *(uint64_t *)world_field(object, word);
}

void world_set_word(struct spgc_handle object, unsigned word, uint64_t value) {
  *(uint64_t *)world_field(object, word) = value;
}

struct spgc_handle world_new_leaf(uint64_t number) {
  struct spgc_handle leaf = spgc_handle_make(spgc_allocate(&world_leaf));
  world_set_word(leaf, 1, number);
  return leaf;
}

struct spgc_handle world_new_list(uint64_t count) {
  struct spgc_handle head = spgc_handle_make(spgc_ref_null());
  while (count-- != 0) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    if (spgc_ref_is_null(pair))
      ck_abort_msg("no memory for the list");
    uint64_t *words = spgc_ref_memory(pair);
    words[1] = count;
    words[2] = spgc_handle_get(head).word; /* a new object needs no barrier */
    spgc_handle_set(head, pair);
  }
  return head;
}

void world_check_list(struct spgc_handle list, uint64_t count) {
  struct spgc_ref pair = spgc_handle_get(list);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t *words = spgc_ref_memory(pair);
    if (!spgc_is_heap_reference(pair) || words[0] != (uint64_t)&world_pair || words[1] != i)
      ck_abort_msg("element %" PRIu64 " of the list is not what it was",
                   i); /* no assertion: Check logs each */
    pair = spgc_ref_from_word(words[2]);
  }
  ck_assert(spgc_ref_is_null(pair));
}

enum { STRESSED_LENGTH = 1022 };

struct spgc_ref world_new_element(void) {
  return world_is_stressed() ? spgc_allocate_array(&world_references, STRESSED_LENGTH)
                             : spgc_allocate(&world_pair);
}

uint64_t world_element_bytes(void) {
  return world_is_stressed() ? world_references.size + STRESSED_LENGTH * UINT64_C(8)
                             : world_pair.size;
}

uint64_t world_fill(struct spgc_handle list) {
  for (uint64_t count = 0;; count++) {
    struct spgc_ref element = world_new_element();
    if (spgc_ref_is_null(element))
      return count;
    spgc_store(spgc_slot_at((struct spgc_ref *)spgc_ref_memory(element) + 2),
               spgc_handle_get(list));
    spgc_handle_set(list, element);
  }
}

struct spgc_handle world_new_holder(struct spgc_handle referent) {
  struct spgc_handle holder = spgc_handle_make(spgc_allocate(&world_holder));
  struct spgc_error error;
  enum spgc_result result =
      spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET, spgc_handle_get(referent), &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  return holder;
}

struct spgc_ref world_weak_referent(struct spgc_handle holder) {
  return spgc_weak_get(spgc_handle_get(holder), WORLD_WEAK_OFFSET);
}

uint64_t world_old_collections(void) {
  return world_statistics().final_marks + world_statistics().full_collections;
}

void world_churn(uint64_t old_collections) {
  enum { KEPT = 4096 };
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle ring = spgc_handle_make(spgc_allocate_array(&world_references, KEPT));
  uint64_t goal = world_old_collections() + old_collections;
  for (unsigned i = 0; i % 16 != 0 || world_old_collections() < goal; i++) {
    struct spgc_ref bytes = spgc_allocate_array(&world_bytes, 200);
    world_set(ring, 2 + i % KEPT, bytes);
  }
  spgc_scope_close(scope);
}

uint64_t world_collect_moved(enum spgc_collection kind) {
  uint64_t before = world_statistics().moved_bytes;
  spgc_collect(kind);
  return world_statistics().moved_bytes - before;
}

void world_collect_moving(enum spgc_collection kind, uint64_t bytes) {
  uint64_t moved = world_collect_moved(kind);
  if (world_moves_always())
    ck_assert_uint_ge(moved, bytes);
  else if (world_is_stressed())
    ck_assert_uint_le(moved, bytes);
  else
    ck_assert_uint_eq(moved, bytes);
}

uint64_t world_usual_collections(void) {
  return world_moves_always() ? world_statistics().full_collections
                              : world_statistics().minor_collections;
}

/* The system's sums may be far off, because they are updated in batches; this file is exact. */
uint64_t world_resident_bytes(void) {
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  ck_assert_ptr_nonnull(file);
  char line[200];
  uint64_t kibibytes = 0;
  int found = 0;
  while (found != 1 && fgets(line, sizeof line, file) != NULL)
    found = sscanf(line, "Anonymous: %" SCNu64, &kibibytes);
  fclose(file);
  ck_assert_int_eq(found, 1);
  return kibibytes << 10;
}

uint64_t world_checker_bytes(void) {
#ifdef __SANITIZE_ADDRESS__
  enum { SHADOW_PART = 8 };
  return world_statistics().peak_heap_bytes / SHADOW_PART +
         SPGC_MOST_VACATED * sizeof(struct spgc_vacated);
#else
  return 0;
#endif
}

int world_count_threads(const char *name) {
  int count = 0;
  DIR *tasks = opendir("/proc/self/task");
  ck_assert_ptr_nonnull(tasks);
  for (const struct dirent *task; (task = readdir(tasks)) != NULL;) {
    char path[300], comm[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE *file = fopen(path, "r");
    if (file == NULL)
      continue;
    if (fgets(comm, sizeof comm, file) != NULL) {
      comm[strcspn(comm, "\n")] = '\0';
      count += strcmp(comm, name) == 0;
    }
    fclose(file);
  }
  closedir(tasks);
  return count;
}
