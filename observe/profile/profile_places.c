#include "observe/profile/profile_places.h"

#include "gc/inspect.h"
#include "observe/profile/code_mapping.h"

struct found_place {
  struct spgc_code_place code;
  struct spgc_code_source source;
  struct spgc_code_mapping mapping;
  bool is_in_file;
};

static uint32_t find(const struct spgc_profile_tables *tables, const struct spgc_call *call) {
  uint64_t key = call->instruction;
  return spgc_sequence_find(&tables->places, &key, sizeof key);
}

static void look_up(const struct spgc_call *call, struct found_place *found) {
  spgc_code_find(call->instruction, &found->code);
  found->is_in_file = spgc_code_mapping_find(call->instruction, &found->mapping);
  if (!call->is_managed ||
      !spgc_code_find_source(call->instruction, call->statepoint_id, &found->source))
    found->source = (struct spgc_code_source){0};
}

static uint32_t string_or_none(struct spgc_profile_tables *tables, const char *text) {
  return text[0] != '\0' ? spgc_profile_string(tables, text) : SPGC_PROFILE_NONE;
}

static uint32_t mapping_number(struct spgc_profile_tables *tables,
                               const struct found_place *found) {
  if (!found->is_in_file)
    return SPGC_PROFILE_NONE;
  const struct spgc_profile_mapping mapping = {
      .start = found->mapping.start,
      .limit = found->mapping.limit,
      .offset = found->mapping.offset,
      .file = spgc_profile_string(tables, found->code.file),
      .build_id = spgc_profile_string(tables, found->mapping.build_id)};
  return spgc_sequence_number(&tables->mappings, &mapping, sizeof mapping);
}

static uint32_t add(struct spgc_profile_tables *tables, const struct spgc_call *call,
                    const struct found_place *found) {
  uint64_t key = call->instruction;
  uint32_t number = spgc_sequence_number(&tables->places, &key, sizeof key);
  if (number == SPGC_SEQUENCE_NONE)
    return SPGC_PROFILE_NONE;
  bool has_source = found->source.function[0] != '\0';
  const char *function = has_source             ? found->source.function
                         : found->code.is_named ? found->code.function
                                                : "";
  struct spgc_profile_place *place = spgc_sequence_value(&tables->places, number);
  *place = (struct spgc_profile_place){.function = string_or_none(tables, function),
                                       .source = string_or_none(tables, found->source.file),
                                       .line = found->source.line,
                                       .mapping = mapping_number(tables, found),
                                       .file_address = found->code.address,
                                       .is_program = found->code.is_program,
                                       .is_described = has_source};
  return number;
}

/* Names of code have their own lock, and a thread holds only one of them. */
uint32_t spgc_profile_place_number(struct spgc_profile_tables *tables,
                                   const struct spgc_call *call) {
  struct found_place found;
  uint32_t number = find(tables, call);
  if (number != SPGC_SEQUENCE_NONE)
    return number;
  spgc_unlock(SPGC_LOCK_SAMPLES);
  look_up(call, &found);
  spgc_lock(SPGC_LOCK_SAMPLES);
  return add(tables, call, &found);
}

void spgc_profile_places_retire(struct spgc_profile_tables *tables, uintptr_t start,
                                uintptr_t end) {
  for (uint32_t number = 0; number < tables->places.count; number++) {
    const uint64_t *address = spgc_sequence_at(&tables->places, number);
    if (*address - start < end - start)
      spgc_sequence_retire(&tables->places, number);
  }
}
