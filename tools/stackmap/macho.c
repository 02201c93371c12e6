/* Mach-O, 32 and 64 bits, either byte order (<mach-o/loader.h> of Apple's cctools has the
 * structures). */
#include <inttypes.h>
#include <string.h>

#include "tools/stackmap/object_file.h"

enum {
  NAME_SIZE = 16, /* padded with zeros, not terminated */
  HEADER_SIZE_32 = 28,
  HEADER_SIZE_64 = 32,
  HEADER_PROCESSOR = 4,
  CPU_TYPE_X86_64 = 0x01000007,
  CPU_TYPE_ARM64 = 0x0100000c,
  HEADER_COMMAND_COUNT = 16,
  HEADER_COMMAND_BYTES = 20,
  COMMAND_SIZE_LEAST = 8,
  SECTION_TYPE_MASK = 0xff,
};

enum command { COMMAND_SEGMENT_32 = 0x1, COMMAND_SEGMENT_64 = 0x19 };

enum section_type {
  SECTION_ZEROFILL = 0x1,
  SECTION_LARGE_ZEROFILL = 0xc,
  SECTION_THREAD_ZEROFILL = 0x12
};

static const uint32_t magic_32 = 0xfeedface, magic_64 = 0xfeedfacf;
static const char segment_name[] = "__LLVM_STACKMAPS", section_name[] = "__llvm_stackmaps";
_Static_assert(sizeof segment_name == NAME_SIZE + 1 && sizeof section_name == NAME_SIZE + 1,
               "names fill their fields");

/* Offsets of fields, by the width of addresses. */
struct geometry {
  unsigned address;        /* width */
  unsigned segment_size;   /* the command's, without its sections */
  unsigned segment_count;  /* number of sections */
  unsigned section_size;   /* the structure's */
  unsigned section_bytes;  /* the section's size */
  unsigned section_offset; /* its offset in the file */
  unsigned section_flags;
};

static const struct geometry geometry_32 = {4, 56, 48, 68, 36, 40, 56};
static const struct geometry geometry_64 = {8, 72, 64, 80, 40, 48, 64};

struct macho {
  struct object_file *file;
  const struct geometry *geometry;
  uint64_t commands, commands_end; /* inside the file */
  uint32_t command_count;
};

static uint64_t number(const struct macho *macho, uint64_t position, unsigned width) {
  return image_number(&macho->file->image, position, width, macho->file->byte_order);
}

bool macho_recognise(const struct image *image) {
  if (!image_holds(image, 0, sizeof magic_32))
    return false;
  uint64_t little = image_number(image, 0, 4, SPGC_LITTLE_ENDIAN),
           big = image_number(image, 0, 4, SPGC_BIG_ENDIAN);
  return little == magic_32 || little == magic_64 || big == magic_32 || big == magic_64;
}

static enum spgc_result read_header(struct macho *macho, struct spgc_error *error) {
  const struct image *image = &macho->file->image;
  uint64_t magic = image_number(image, 0, 4, SPGC_LITTLE_ENDIAN);
  bool little = magic == magic_32 || magic == magic_64;
  macho->file->byte_order = little ? SPGC_LITTLE_ENDIAN : SPGC_BIG_ENDIAN;
  bool wide = number(macho, 0, 4) == magic_64;
  macho->geometry = wide ? &geometry_64 : &geometry_32;
  macho->commands = wide ? HEADER_SIZE_64 : HEADER_SIZE_32;
  if (!image_holds(image, 0, macho->commands))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, image->size,
                          "the file ends inside the Mach-O header");
  uint64_t type = number(macho, HEADER_PROCESSOR, 4);
  macho->file->processor = type == CPU_TYPE_X86_64  ? PROCESSOR_X86_64
                           : type == CPU_TYPE_ARM64 ? PROCESSOR_AARCH64
                                                    : PROCESSOR_OTHER;
  uint64_t bytes = number(macho, HEADER_COMMAND_BYTES, 4);
  macho->command_count = (uint32_t)number(macho, HEADER_COMMAND_COUNT, 4);
  if (!image_holds(image, macho->commands, bytes))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, HEADER_COMMAND_BYTES,
                          "%" PRIu64 " bytes of Mach-O load commands are not inside the file",
                          bytes);
  macho->commands_end = macho->commands + bytes;
  return SPGC_OK;
}

static enum spgc_result examine_section(struct macho *macho, uint64_t section,
                                        struct spgc_error *error) {
  const struct geometry *geometry = macho->geometry;
  const unsigned char *names = macho->file->image.bytes + section;
  if (memcmp(names, section_name, NAME_SIZE) != 0 ||
      memcmp(names + NAME_SIZE, segment_name, NAME_SIZE) != 0)
    return SPGC_OK;
  uint64_t type = number(macho, section + geometry->section_flags, 4) & SECTION_TYPE_MASK;
  if (type == SECTION_ZEROFILL || type == SECTION_LARGE_ZEROFILL || type == SECTION_THREAD_ZEROFILL)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, section,
                          "the bytes of %s are not in this file", section_name);
  return object_file_add(macho->file, number(macho, section + geometry->section_offset, 4),
                         number(macho, section + geometry->section_bytes, geometry->address),
                         section, error);
}

static enum spgc_result examine_segment(struct macho *macho, uint64_t command, uint64_t size,
                                        struct spgc_error *error) {
  const struct geometry *geometry = macho->geometry;
  if (size < geometry->segment_size)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, command,
                          "a Mach-O segment command of %" PRIu64 " bytes", size);
  uint64_t count = number(macho, command + geometry->segment_count, 4);
  if (count > (size - geometry->segment_size) / geometry->section_size)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, command,
                          "%" PRIu64 " sections in a Mach-O segment command of %" PRIu64 " bytes",
                          count, size);
  enum spgc_result result = SPGC_OK;
  for (uint64_t i = 0; i < count && result == SPGC_OK; i++)
    result = examine_section(macho, command + geometry->segment_size + i * geometry->section_size,
                             error);
  return result;
}

enum spgc_result macho_find_maps(struct object_file *file, struct spgc_error *error) {
  struct macho macho = {.file = file};
  enum spgc_result result = read_header(&macho, error);
  uint64_t segment = macho.geometry == &geometry_64 ? COMMAND_SEGMENT_64 : COMMAND_SEGMENT_32;
  uint64_t command = macho.commands;
  for (uint32_t i = 0; i < macho.command_count && result == SPGC_OK; i++) {
    uint64_t left = macho.commands_end - command;
    uint64_t size = left < COMMAND_SIZE_LEAST ? 0 : number(&macho, command + 4, 4);
    if (size < COMMAND_SIZE_LEAST || size > left)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, command,
                            "Mach-O load command %" PRIu32 " of %" PRIu32
                            " is not among the commands",
                            i, macho.command_count);
    if (number(&macho, command, 4) == segment)
      result = examine_segment(&macho, command, size, error);
    command += size;
  }
  return result;
}
