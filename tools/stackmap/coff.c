/* COFF objects and PE images (Microsoft's "PE Format": COFF File Header, Section Table, COFF String
 * Table). */
#include <inttypes.h>
#include <string.h>

#include "tools/stackmap/object_file.h"

enum {
  DOS_HEADER_SIZE = 0x40,
  DOS_PE_OFFSET = 0x3c,
  SIGNATURE_SIZE = 4,
  HEADER_SIZE = 20,
  HEADER_SECTION_COUNT = 2,
  HEADER_SYMBOLS = 8,
  HEADER_SYMBOL_COUNT = 12,
  HEADER_OPTIONAL_SIZE = 16,
  SECTION_SIZE = 40,
  SECTION_RAW_SIZE = 16,
  SECTION_RAW_POSITION = 20,
  SYMBOL_SIZE = 18,
  SHORT_NAME_SIZE = 8,
};

enum { MACHINE_X86_64 = 0x8664, MACHINE_AARCH64 = 0xaa64 };

static const uint16_t machines[] = {0x014c, 0x01c4, MACHINE_X86_64, MACHINE_AARCH64}; /* x86, ARM */
static const char section_name[] = ".llvm_stackmaps";

struct coff {
  struct object_file *file;
  uint64_t header, sections, section_count;
  uint64_t strings, strings_size; /* 0 if absent; inside the file */
  bool is_image;                  /* long names may have been cut to 8 bytes */
};

static uint64_t number(const struct coff *coff, uint64_t position, unsigned width) {
  return image_number(&coff->file->image, position, width, SPGC_LITTLE_ENDIAN);
}

bool coff_recognise(const struct image *image) {
  if (!image_holds(image, 0, 2))
    return false;
  if (memcmp(image->bytes, "MZ", 2) == 0)
    return true;
  uint64_t machine = image_number(image, 0, 2, SPGC_LITTLE_ENDIAN);
  for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
    if (machine == machines[i])
      return true;
  return false;
}

static enum spgc_result find_header(struct coff *coff, struct spgc_error *error) {
  const struct image *image = &coff->file->image;
  coff->is_image = memcmp(image->bytes, "MZ", 2) == 0;
  if (coff->is_image) {
    if (!image_holds(image, 0, DOS_HEADER_SIZE))
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, image->size,
                            "the file ends inside the DOS header");
    uint64_t signature = number(coff, DOS_PE_OFFSET, 4);
    if (!image_holds(image, signature, SIGNATURE_SIZE) ||
        memcmp(image->bytes + signature, "PE\0\0", SIGNATURE_SIZE) != 0)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, DOS_PE_OFFSET,
                            "no PE signature at byte %" PRIu64, signature);
    coff->header = signature + SIGNATURE_SIZE;
  }
  if (!image_holds(image, coff->header, HEADER_SIZE))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, image->size,
                          "the file ends inside the COFF header");
  uint64_t machine = number(coff, coff->header, 2);
  coff->file->processor = machine == MACHINE_X86_64    ? PROCESSOR_X86_64
                          : machine == MACHINE_AARCH64 ? PROCESSOR_AARCH64
                                                       : PROCESSOR_OTHER;
  return SPGC_OK;
}

/* The string table follows the symbols. It starts with its size, that field included. */
static enum spgc_result find_strings(struct coff *coff, struct spgc_error *error) {
  uint64_t symbols = number(coff, coff->header + HEADER_SYMBOLS, 4);
  if (symbols == 0)
    return SPGC_OK;
  uint64_t strings = symbols + number(coff, coff->header + HEADER_SYMBOL_COUNT, 4) * SYMBOL_SIZE;
  uint64_t size =
      image_holds(&coff->file->image, strings, 4) ? number(coff, strings, 4) : UINT64_MAX;
  if (!image_holds(&coff->file->image, strings, size))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, coff->header + HEADER_SYMBOLS,
                          "the COFF strings at byte %" PRIu64 " are not inside the file", strings);
  coff->strings = strings;
  coff->strings_size = size;
  return SPGC_OK;
}

static enum spgc_result find_tables(struct coff *coff, struct spgc_error *error) {
  coff->section_count = number(coff, coff->header + HEADER_SECTION_COUNT, 2);
  coff->sections =
      coff->header + HEADER_SIZE + number(coff, coff->header + HEADER_OPTIONAL_SIZE, 2);
  if (!image_holds(&coff->file->image, coff->sections, coff->section_count * SECTION_SIZE))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, coff->header,
                          "the %" PRIu64 " COFF section headers at byte %" PRIu64
                          " are not inside the file",
                          coff->section_count, coff->sections);
  return find_strings(coff, error);
}

/* A name has up to 8 bytes, or is "/" and a decimal offset in the string table. */
static bool has_name(const struct coff *coff, uint64_t section) {
  const char *name = (const char *)coff->file->image.bytes + section;
  if (coff->is_image && memcmp(name, section_name, SHORT_NAME_SIZE) == 0)
    return true;
  if (name[0] != '/')
    return false;
  uint64_t offset = 0;
  for (unsigned i = 1; i < SHORT_NAME_SIZE && name[i] >= '0' && name[i] <= '9'; i++)
    offset = offset * 10 + (uint64_t)(name[i] - '0');
  return offset <= coff->strings_size && coff->strings_size - offset >= sizeof section_name &&
         memcmp(coff->file->image.bytes + coff->strings + offset, section_name,
                sizeof section_name) == 0;
}

enum spgc_result coff_find_maps(struct object_file *file, struct spgc_error *error) {
  struct coff coff = {.file = file};
  file->byte_order = SPGC_LITTLE_ENDIAN;
  enum spgc_result result = find_header(&coff, error);
  if (result == SPGC_OK)
    result = find_tables(&coff, error);
  for (uint64_t i = 0; i < coff.section_count && result == SPGC_OK; i++) {
    uint64_t section = coff.sections + i * SECTION_SIZE;
    if (has_name(&coff, section))
      result = object_file_add(file, number(&coff, section + SECTION_RAW_POSITION, 4),
                               number(&coff, section + SECTION_RAW_SIZE, 4), section, error);
  }
  return result;
}
