#include <elf.h>
#include <link.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "gc/naming/code_name.h"
#include "gc/state/locks.h"
#include "observe/profile/code_mapping.h"
#include "observe/profile/profile_places.h"
#include "observe/profile/protobuf.h"
#include "spgc/code_name.h"
#include "support/exponential.h"

START_TEST(gaps_are_exponential) {
  enum { GAPS = 200000, MEAN = 1000, PARTS = 8 };
  struct spgc_random random = {5};
  double sum = 0;
  unsigned below[PARTS] = {0};
  for (int i = 0; i < GAPS; i++) {
    uint64_t gap = spgc_exponential_gap(&random, MEAN);
    sum += (double)gap;
    for (unsigned part = 0; part < PARTS; part++)
      below[part] += gap < MEAN * (part + 1) / 2;
  }
  ck_assert_double_eq_tol(sum / GAPS, MEAN, MEAN / 100.0);
  for (unsigned part = 0; part < PARTS; part++)
    ck_assert_double_eq_tol((double)below[part] / GAPS,
                            spgc_exponential_probability((part + 1) / 2.0), 0.005);
}
END_TEST

START_TEST(the_functions_are_those_of_libm) {
  for (double x = 1e-9; x < 100; x *= 1.01)
    ck_assert_double_eq_tol(spgc_exponential_probability(x) / -expm1(-x), 1, 1e-12);
  for (double u = 1; u >= 1; u *= 1.001) {
    uint64_t number = (uint64_t)u;
    ck_assert_double_eq_tol(spgc_negative_logarithm(number), -log((double)number * 0x1p-53), 1e-11);
    if (u > 0x1p53)
      return;
  }
}
END_TEST

/* Against an array searched from the start. */
START_TEST(sequences_have_stable_numbers) {
  enum { STEPS = 20000, MOST = 3000, LONGEST = 24 };
  struct spgc_sequences table = SPGC_SEQUENCES_OF(uint64_t, MOST, MOST * 40), copy;
  static char model[MOST][LONGEST];
  static size_t lengths[MOST];
  static bool retired[MOST];
  struct spgc_random random = {3};
  for (int step = 0; step < STEPS; step++) {
    char bytes[LONGEST];
    size_t length = 1 + spgc_random_next(&random) % 3, known = 0;
    for (size_t i = 0; i < length; i++)
      bytes[i] = (char)('a' + spgc_random_next(&random) % 15);
    while (known < table.count &&
           (retired[known] || lengths[known] != length || memcmp(model[known], bytes, length) != 0))
      known++;
    uint32_t expected = known < MOST ? (uint32_t)known : SPGC_SEQUENCE_NONE;
    ck_assert_uint_eq(spgc_sequence_find(&table, bytes, length),
                      known < table.count ? expected : SPGC_SEQUENCE_NONE);
    ck_assert_uint_eq(spgc_sequence_number(&table, bytes, length), expected);
    if (expected == SPGC_SEQUENCE_NONE)
      continue;
    memcpy(model[known], bytes, length);
    lengths[known] = length;
    uint64_t *value = spgc_sequence_value(&table, expected);
    ck_assert(*value == 0 || *value == known + 1);
    *value = known + 1;
    retired[known] = spgc_random_next(&random) % 50 == 0;
    if (retired[known])
      spgc_sequence_retire(&table, expected);
  }
  ck_assert_uint_eq(table.count, MOST);
  ck_assert(spgc_sequences_copy(&copy, &table));
  spgc_sequences_free(&table);
  for (uint32_t number = 0; number < MOST; number++) {
    ck_assert_mem_eq(spgc_sequence_at(&copy, number), model[number], lengths[number]);
    ck_assert_uint_eq(*(uint64_t *)spgc_sequence_value(&copy, number), number + 1);
  }
  spgc_sequences_free(&copy);
}
END_TEST

START_TEST(messages_have_the_wire_format) {
  static const unsigned char expected[] = {
      0x08, 0x96, 0x01,             /* field 1: 150 */
      0x12, 0x02, 'h',  'i',        /* field 2: "hi" */
      0x1a, 0x03, 0x01, 0x80, 0x01, /* field 3: 1, 128 */
      0x22, 0x02, 0x08, 0x00,       /* field 4: a message with field 1: 0 */
      0x28, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* field 5: 2^64 - 1 */
  };
  static const uint64_t numbers[] = {1, 128};
  struct spgc_protobuf message = {0}, part = {0};
  spgc_protobuf_number(&message, 1, 150);
  spgc_protobuf_bytes(&message, 2, "hi", 2);
  spgc_protobuf_numbers(&message, 3, numbers, 2);
  spgc_protobuf_number(&part, 1, 0);
  spgc_protobuf_part(&message, 4, &part);
  spgc_protobuf_number(&message, 5, UINT64_MAX);
  ck_assert(!message.failed);
  ck_assert_uint_eq(message.length, sizeof expected);
  ck_assert_mem_eq(message.bytes, expected, sizeof expected);
  spgc_protobuf_free(&message);
  spgc_protobuf_free(&part);
}
END_TEST

struct search {
  uintptr_t address;
  struct spgc_code_mapping mapping;
};

static int look(struct dl_phdr_info *object, size_t size, void *context) {
  struct search *search = context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    if (segment->p_type == PT_LOAD && search->address - start < segment->p_memsz)
      search->mapping =
          (struct spgc_code_mapping){start, start + segment->p_memsz, segment->p_offset, ""};
  }
  return 0;
}

static void check_mapping(const void *code) {
  struct search search = {.address = (uintptr_t)code};
  struct spgc_code_mapping found;
  dl_iterate_phdr(look, &search);
  ck_assert(spgc_code_mapping_find((uintptr_t)code, &found));
  ck_assert_uint_eq(found.start, search.mapping.start);
  ck_assert_uint_eq(found.limit, search.mapping.limit);
  ck_assert_uint_eq(found.offset, search.mapping.offset);
  for (const char *digit = found.build_id; *digit != '\0'; digit++)
    ck_assert(strchr("0123456789abcdef", *digit) != NULL);
}

START_TEST(mappings_are_the_loaders) {
  struct spgc_code_mapping mapping;
  int on_stack;
  check_mapping((const void *)(uintptr_t)check_mapping);
  check_mapping((const void *)(uintptr_t)qsort);
  ck_assert(spgc_code_mapping_find((uintptr_t)qsort, &mapping));
  ck_assert_uint_ge(strlen(mapping.build_id), 16); /* of the C library */
  ck_assert(!spgc_code_mapping_find((uintptr_t)&on_stack, &mapping));
  ck_assert(!spgc_code_mapping_find(16, &mapping));
}
END_TEST

static bool find_source(void *context, uintptr_t instruction, uint64_t statepoint_id,
                        struct spgc_source_place *place) {
  if (statepoint_id != 77)
    return false;
  *place = (struct spgc_source_place){context, "file.lang", (uint32_t)instruction};
  return true;
}

static struct spgc_profile_tables tables;

static const struct spgc_profile_place *place_of(struct spgc_call call, uint32_t *number) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  *number = spgc_profile_place_number(&tables, &call);
  spgc_unlock(SPGC_LOCK_SAMPLES);
  ck_assert_uint_ne(*number, SPGC_PROFILE_NONE);
  return spgc_sequence_value(&tables.places, *number);
}

static void retire(uintptr_t start, uintptr_t end) {
  spgc_lock(SPGC_LOCK_SAMPLES);
  spgc_profile_places_retire(&tables, start, end);
  spgc_unlock(SPGC_LOCK_SAMPLES);
}

/* Other code takes the addresses of a JIT's. */
START_TEST(places_of_unloaded_code_keep_their_names) {
  static const struct spgc_code_name before[] = {{0x1000, 16, "before"}},
                                     after[] = {{0x1000, 16, "after"}};
  struct spgc_code_names names = {.names = before, .count = 1},
                         others = {.names = after, .count = 1};
  const struct spgc_call call = {.instruction = 0x1004, .statepoint_id = 5, .is_managed = true};
  uint32_t first, again, second;
  tables = spgc_profile_tables_empty();
  spgc_code_set_gone_hook(retire);
  spgc_code_names_add(&names);
  const struct spgc_profile_place *place = place_of(call, &first);
  ck_assert_str_eq(spgc_profile_text(&tables, place->function), "before");
  ck_assert_uint_eq(place->mapping, SPGC_PROFILE_NONE);
  place_of(call, &again);
  ck_assert_uint_eq(again, first);
  spgc_code_names_remove(&names);
  spgc_code_names_add(&others);
  place = place_of(call, &second);
  ck_assert_uint_ne(second, first);
  ck_assert_str_eq(spgc_profile_text(&tables, place->function), "after");
  place = spgc_sequence_value(&tables.places, first);
  ck_assert_str_eq(spgc_profile_text(&tables, place->function), "before");
  spgc_code_names_remove(&others);
  spgc_code_set_gone_hook(NULL);
  spgc_profile_tables_free(&tables);
}
END_TEST

/* A JIT's code, before the language's names. */
START_TEST(places_of_unloaded_code_go_although_it_has_other_names) {
  static const struct spgc_code_name functions[] = {{0x1000, 16, "symbol"}},
                                     own[] = {{0x1000, 16, "own"}};
  struct spgc_code_names names = {.names = functions, .count = 1},
                         others = {.names = own, .count = 1};
  const struct spgc_call call = {.instruction = 0x1004, .statepoint_id = 5, .is_managed = true};
  uint32_t first, again;
  tables = spgc_profile_tables_empty();
  spgc_code_set_gone_hook(retire);
  spgc_code_names_add(&names);
  spgc_code_names_add(&others);
  const struct spgc_profile_place *place = place_of(call, &first);
  ck_assert_str_eq(spgc_profile_text(&tables, place->function), "own");
  spgc_code_names_remove(&names);
  place_of(call, &again);
  ck_assert_uint_ne(again, first);
  spgc_code_names_remove(&others);
  spgc_code_set_gone_hook(NULL);
  spgc_profile_tables_free(&tables);
}
END_TEST

START_TEST(a_language_tells_its_source) {
  struct spgc_call call = {.instruction = 0x2042, .statepoint_id = 77, .is_managed = true};
  uint32_t number;
  tables = spgc_profile_tables_empty();
  spgc_set_source_finder(find_source, "fun");
  const struct spgc_profile_place *place = place_of(call, &number);
  ck_assert_str_eq(spgc_profile_text(&tables, place->function), "fun");
  ck_assert_str_eq(spgc_profile_text(&tables, place->source), "file.lang");
  ck_assert_uint_eq(place->line, 0x2042);
  ck_assert(place->is_described);
  call = (struct spgc_call){.instruction = 0x2043, .statepoint_id = 78, .is_managed = true};
  ck_assert(!place_of(call, &number)->is_described);
  call = (struct spgc_call){.instruction = 0x2044, .statepoint_id = 77};
  ck_assert(!place_of(call, &number)->is_described);
  spgc_set_source_finder(NULL, NULL);
  spgc_profile_tables_free(&tables);
}
END_TEST

START_TEST(ages_are_rounded_down) {
  ck_assert_uint_eq(spgc_profile_round_survived(0), 0);
  ck_assert_uint_eq(spgc_profile_round_survived(7), 7);
  ck_assert_uint_eq(spgc_profile_round_survived(8), 8);
  ck_assert_uint_eq(spgc_profile_round_survived(15), 8);
  ck_assert_uint_eq(spgc_profile_round_survived(16), 16);
  ck_assert_uint_eq(spgc_profile_round_survived(UINT64_MAX), UINT32_C(1) << 31);
}
END_TEST

CHECK_MAIN("heap-profile-tables", gaps_are_exponential, the_functions_are_those_of_libm,
           sequences_have_stable_numbers, messages_have_the_wire_format, mappings_are_the_loaders,
           places_of_unloaded_code_keep_their_names,
           places_of_unloaded_code_go_although_it_has_other_names, a_language_tells_its_source,
           ages_are_rounded_down)
