#include "observe/profile/profile_tables.h"

#include <string.h>

enum {
  MOST_STRINGS = 1 << 16,
  MOST_STRING_BYTES = 1 << 23,
  MOST_MAPPINGS = 1 << 12,
  MOST_PLACES = 1 << 16,
  MOST_STACKS = 1 << 16,
  MOST_STACK_BYTES = 1 << 24,
  MOST_COUNTS = 1 << 18,
  EXACT_SURVIVED = 8,
  WORD = sizeof(uint64_t),
};

struct nothing {};

struct spgc_profile_tables spgc_profile_tables_empty(void) {
  const struct spgc_profile_tables empty = {
      .strings = SPGC_SEQUENCES_OF(struct nothing, MOST_STRINGS, MOST_STRING_BYTES),
      .mappings = SPGC_SEQUENCES_OF(struct nothing, MOST_MAPPINGS,
                                    MOST_MAPPINGS * sizeof(struct spgc_profile_mapping)),
      .places =
          SPGC_SEQUENCES_OF(struct spgc_profile_place, MOST_PLACES, (size_t)MOST_PLACES * WORD),
      .stacks = SPGC_SEQUENCES_OF(struct nothing, MOST_STACKS, MOST_STACK_BYTES),
      .counts = SPGC_SEQUENCES_OF(struct spgc_profile_counts, MOST_COUNTS,
                                  (size_t)2 * MOST_COUNTS * WORD)};
  return empty;
}

/* With the terminating zero. */
uint32_t spgc_profile_string(struct spgc_profile_tables *tables, const char *text) {
  return spgc_sequence_number(&tables->strings, text, strlen(text) + 1);
}

const char *spgc_profile_text(const struct spgc_profile_tables *tables, uint32_t string) {
  return string != SPGC_PROFILE_NONE ? spgc_sequence_at(&tables->strings, string) : "";
}

uint32_t spgc_profile_round_survived(uint64_t collections) {
  if (collections <= EXACT_SURVIVED)
    return (uint32_t)collections;
  uint32_t most = collections < UINT32_MAX ? (uint32_t)collections : UINT32_MAX;
  return UINT32_C(1) << (31 - __builtin_clz(most));
}

struct spgc_profile_counts *spgc_profile_counts_of(struct spgc_profile_tables *tables,
                                                   const struct spgc_profile_key *key) {
  uint32_t number = spgc_sequence_number(&tables->counts, key, sizeof *key);
  return number != SPGC_SEQUENCE_NONE ? spgc_sequence_value(&tables->counts, number) : NULL;
}

bool spgc_profile_tables_copy(struct spgc_profile_tables *copy,
                              const struct spgc_profile_tables *tables) {
  *copy = spgc_profile_tables_empty();
  bool complete = spgc_sequences_copy(&copy->strings, &tables->strings) &&
                  spgc_sequences_copy(&copy->mappings, &tables->mappings) &&
                  spgc_sequences_copy(&copy->places, &tables->places) &&
                  spgc_sequences_copy(&copy->stacks, &tables->stacks) &&
                  spgc_sequences_copy(&copy->counts, &tables->counts);
  copy->strings.most = copy->counts.most = SPGC_PROFILE_NONE;
  copy->strings.most_bytes = copy->counts.most_bytes = UINT32_MAX;
  if (!complete)
    spgc_profile_tables_free(copy);
  return complete;
}

void spgc_profile_tables_free(struct spgc_profile_tables *tables) {
  spgc_sequences_free(&tables->strings);
  spgc_sequences_free(&tables->mappings);
  spgc_sequences_free(&tables->places);
  spgc_sequences_free(&tables->stacks);
  spgc_sequences_free(&tables->counts);
}
