#include "tests/support/stackmap_survey.h"

#include <string.h>

#include "support/fatal.h"
#include "tests/support/stackmap_frames.h"
#include "tools/stackmap/object_file.h"

static enum spgc_result check_error(enum spgc_result result, const struct spgc_error *error,
                                    size_t size) {
  if (result == SPGC_OK)
    return result;
  spgc_require(error->code == result, "result %d, error %d", (int)result, (int)error->code);
  spgc_require(error->message[0] != '\0', "an error without a reason");
  spgc_require(error->position <= size, "position %llu of %zu bytes",
               (unsigned long long)error->position, size);
  return result;
}

static void visit_record(const struct spgc_stackmap_section *section,
                         const struct spgc_stackmap_blob *blob,
                         const struct spgc_stackmap_record *record) {
  struct spgc_statepoint_layout layout;
  for (uint32_t i = 0; i < record->location_count; i++) {
    struct spgc_stackmap_location location = spgc_stackmap_location_at(section, blob, record, i);
    if (location.kind == SPGC_LOCATION_CONSTANT_INDEX)
      (void)spgc_stackmap_constant_at(section, blob, (uint32_t)location.offset);
  }
  for (uint32_t i = 0; i < record->live_out_count; i++)
    (void)spgc_stackmap_live_out_at(section, record, i);
  if (!spgc_stackmap_statepoint_layout(section, blob, record, &layout))
    return;
  spgc_require(layout.first_deopt == 3 &&
                   layout.first_pair == layout.first_deopt + layout.deopt_count &&
                   layout.first_alloca == layout.first_pair + layout.pair_count &&
                   layout.first_alloca + layout.alloca_count == record->location_count &&
                   layout.pair_count % 2 == 0,
               "the groups of a statepoint's locations do not follow each other");
}

static enum spgc_result visit_section(const struct spgc_stackmap_section *section,
                                      struct spgc_error *error) {
  for (uint64_t position = 0;;) {
    struct spgc_stackmap_blob blob;
    enum spgc_result result = spgc_stackmap_read_blob(section, &position, &blob, error);
    if (result != SPGC_OK || blob.version == 0)
      return result;
    uint64_t owned = 0;
    for (uint32_t i = 0; i < blob.function_count; i++)
      owned += spgc_stackmap_function_at(section, &blob, i).record_count;
    spgc_require(owned == (blob.version == 1 ? 0 : blob.record_count),
                 "%llu of %u records have a function", (unsigned long long)owned,
                 blob.record_count);
    for (uint32_t i = 0; i < blob.record_count; i++) {
      struct spgc_stackmap_record record;
      result = spgc_stackmap_read_record(section, &blob, &position, &record, error);
      if (result != SPGC_OK)
        return result;
      spgc_require(position <= section->size, "a record beyond its section");
      visit_record(section, &blob, &record);
    }
  }
}

static void check_frame(const struct frame_description *frame) {
  for (uint32_t i = 0; i < frame->base_count; i++) {
    const struct location *base = &frame->bases[i];
    spgc_require(base->words > 0 &&
                     (base->reg == DWARF_STACK_POINTER || register_is_callee_saved(base->reg)),
                 "a base that no walker finds");
    spgc_require(i == 0 ||
                     (location_compare(base - 1, base) < 0 && !location_clash(base - 1, base)),
                 "bases are not distinct");
  }
  for (uint32_t i = 0; i < frame->derived_count; i++) {
    const struct derived_location *derived = &frame->derived[i];
    spgc_require(derived->base < frame->base_count &&
                     derived->location.words == frame->bases[derived->base].words &&
                     (i == 0 || derived[-1].base <= derived->base),
                 "a derived location without its base");
  }
}

/* Every ID belongs to the function at `context`. */
static uint64_t first_function(void *context, uint64_t id, uint32_t offset) {
  return *(const uint64_t *)context;
}

static bool parse(const unsigned char *bytes, size_t size,
                  const struct record_owner_source *source) {
  struct stackmap_contents contents;
  struct spgc_error error = {0};
  enum spgc_result result =
      check_error(stackmap_frames_read(bytes, size, source, &contents, &error), &error, size);
  const struct frame_description *frames = contents.frames.data;
  for (size_t i = 0; i < contents.frames.count && result == SPGC_OK; i++)
    check_frame(&frames[i]);
  spgc_stackmap_contents_free(&contents);
  return result == SPGC_OK;
}

static bool read_in_order(const unsigned char *bytes, size_t size, enum spgc_byte_order order) {
  const struct spgc_stackmap_section section = {bytes, size, order};
  struct spgc_error error = {0};
  return check_error(visit_section(&section, &error), &error, size) == SPGC_OK;
}

bool survey_section(const unsigned char *bytes, size_t size) {
  uint64_t known_function = 0x400000;
  const struct record_owner_source unknown = {0}, known = {first_function, &known_function};
  bool little = read_in_order(bytes, size, SPGC_LITTLE_ENDIAN);
  read_in_order(bytes, size, SPGC_BIG_ENDIAN);
  bool parsed = parse(bytes, size, &unknown);
  parse(bytes, size, &known);
  spgc_require(little || !parsed, "registration accepts what the reader does not");
  return parsed;
}

bool survey_file(const unsigned char *bytes, size_t size) {
  struct object_file file;
  struct spgc_error error = {0};
  const struct image image = {bytes, size};
  bool readable = check_error(object_file_open(image, RAW_ORDER_GUESSED, &file, &error), &error,
                              size) == SPGC_OK;
  for (size_t i = 0; i < file.section_count && readable; i++) {
    const struct map_extent *extent = &file.sections[i];
    spgc_require(image_holds(&image, extent->position, extent->size), "a section outside its file");
    readable = read_in_order(bytes + extent->position, extent->size, file.byte_order);
  }
  object_file_close(&file);
  return readable;
}
