#include "tools/stackmap/object_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct format {
  const char *name;
  bool (*recognise)(const struct image *image);
  enum spgc_result (*find_maps)(struct object_file *file, struct spgc_error *error);
};

static const struct format formats[] = {
    {"ELF", elf_recognise, elf_find_maps},
    {"Mach-O", macho_recognise, macho_find_maps},
    {"COFF", coff_recognise, coff_find_maps},
};

enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

static const struct container {
  const char *magic;
  size_t length;
  const char *remedy;
} containers[] = {
    {"!<arch>\n", 8, "an archive; extract its members (ar x)"},
    {"!<thin>\n", 8, "a thin archive; name the files it refers to"},
    {"\xca\xfe\xba\xbe", 4, "a universal binary; extract one architecture (lipo -thin)"},
    {"\xca\xfe\xba\xbf", 4, "a universal binary; extract one architecture (lipo -thin)"},
    {"BC\xc0\xde", 4, "LLVM bitcode; compile it first (llc)"},
};

enum { CONTAINER_COUNT = sizeof containers / sizeof containers[0] };

enum spgc_result object_file_add(struct object_file *file, uint64_t position, uint64_t size,
                                 uint64_t where, struct spgc_error *error) {
  if (!image_holds(&file->image, position, size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, where,
                          "the section of stack maps, bytes %" PRIu64 " and %" PRIu64
                          " more, is not inside the file of %" PRIu64 " bytes",
                          position, size, file->image.size);
  struct map_extent *sections =
      reallocarray(file->sections, file->section_count + 1, sizeof *sections);
  if (sections == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, where,
                          "cannot list the sections: out of memory");
  sections[file->section_count++] = (struct map_extent){position, size};
  file->sections = sections;
  return SPGC_OK;
}

enum spgc_result map_section_check(const struct spgc_stackmap_section *section,
                                   struct spgc_error *error) {
  for (uint64_t position = 0;;) {
    struct spgc_stackmap_blob blob;
    enum spgc_result result = spgc_stackmap_read_blob(section, &position, &blob, error);
    if (result != SPGC_OK || blob.version == 0)
      return result;
    for (uint32_t i = 0; i < blob.record_count; i++) {
      struct spgc_stackmap_record record;
      result = spgc_stackmap_read_record(section, &blob, &position, &record, error);
      if (result != SPGC_OK)
        return result;
    }
  }
}

/* The order in which more of the section can be read; little endian if equal. */
static enum spgc_byte_order guess_order(const struct image *image) {
  struct spgc_error little_error, big_error;
  const struct spgc_stackmap_section little = {image->bytes, image->size, SPGC_LITTLE_ENDIAN};
  const struct spgc_stackmap_section big = {image->bytes, image->size, SPGC_BIG_ENDIAN};
  if (map_section_check(&little, &little_error) == SPGC_OK)
    return SPGC_LITTLE_ENDIAN;
  if (map_section_check(&big, &big_error) == SPGC_OK)
    return SPGC_BIG_ENDIAN;
  return big_error.position > little_error.position ? SPGC_BIG_ENDIAN : SPGC_LITTLE_ENDIAN;
}

static enum spgc_result open_raw(struct object_file *file, enum raw_order order,
                                 struct spgc_error *error) {
  const struct image *image = &file->image;
  if (image->size == 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, "the file is empty");
  if (image->size >= 4 && image_number(image, 1, 3, SPGC_LITTLE_ENDIAN) != 0)
    return spgc_error_set(
        error, SPGC_ERROR_UNSUPPORTED, 0,
        "neither an ELF, Mach-O or COFF file nor a stack map: no header of any at byte 0");
  file->format = "section";
  file->byte_order = order == RAW_ORDER_GUESSED  ? guess_order(image)
                     : order == RAW_ORDER_LITTLE ? SPGC_LITTLE_ENDIAN
                                                 : SPGC_BIG_ENDIAN;
  return object_file_add(file, 0, image->size, 0, error);
}

enum spgc_result object_file_open(struct image image, enum raw_order raw_order,
                                  struct object_file *file, struct spgc_error *error) {
  *file = (struct object_file){.image = image};
  for (size_t i = 0; i < CONTAINER_COUNT; i++)
    if (image_holds(&image, 0, containers[i].length) &&
        memcmp(image.bytes, containers[i].magic, containers[i].length) == 0)
      return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "%s", containers[i].remedy);
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (!formats[i].recognise(&image))
      continue;
    file->format = formats[i].name;
    return formats[i].find_maps(file, error);
  }
  return open_raw(file, raw_order, error);
}

const char *object_file_function(const struct object_file *file, uint64_t position,
                                 uint64_t address) {
  const char *name = name_table_find(&file->places, position);
  return name != NULL ? name : name_table_find(&file->addresses, address);
}

void object_file_close(struct object_file *file) {
  name_table_free(&file->places);
  name_table_free(&file->addresses);
  free(file->sections);
  file->sections = NULL;
  file->section_count = 0;
}
