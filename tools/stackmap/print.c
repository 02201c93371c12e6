#include "tools/stackmap/print.h"

const char *location_kind_name(enum spgc_location_kind kind) {
  switch (kind) {
  case SPGC_LOCATION_REGISTER: return "Register";
  case SPGC_LOCATION_DIRECT: return "Direct";
  case SPGC_LOCATION_INDIRECT: return "Indirect";
  case SPGC_LOCATION_CONSTANT: return "Constant";
  case SPGC_LOCATION_CONSTANT_INDEX: return "ConstantIndex";
  }
  spgc_fatal("location kind %d", (int)kind);
}

struct spgc_stackmap_section file_section(const struct object_file *file, size_t index) {
  const struct map_extent *extent = &file->sections[index];
  return (struct spgc_stackmap_section){file->image.bytes + extent->position, extent->size,
                                        file->byte_order};
}

bool next_blob(const struct spgc_stackmap_section *section, uint64_t *position,
               struct spgc_stackmap_blob *blob) {
  struct spgc_error error = {0};
  enum spgc_result result = spgc_stackmap_read_blob(section, position, blob, &error);
  spgc_require(result == SPGC_OK, "a checked stack map: %s", error.message);
  return blob->version != 0;
}

struct spgc_stackmap_record next_record(const struct spgc_stackmap_section *section,
                                        const struct spgc_stackmap_blob *blob, uint64_t *position) {
  struct spgc_stackmap_record record;
  struct spgc_error error = {0};
  enum spgc_result result = spgc_stackmap_read_record(section, blob, position, &record, &error);
  spgc_require(result == SPGC_OK, "a checked stack map: %s", error.message);
  return record;
}
