/* Stack maps in an ELF, Mach-O or COFF file, or in the bytes of a section alone. */
#ifndef SPGC_TOOLS_STACKMAP_OBJECT_FILE_H
#define SPGC_TOOLS_STACKMAP_OBJECT_FILE_H

#include <stddef.h>

#include "spgc/result.h"
#include "tools/stackmap/image.h"
#include "tools/stackmap/name_table.h"

struct map_extent {
  uint64_t position;
  uint64_t size;
};

enum processor { PROCESSOR_OTHER, PROCESSOR_X86_64, PROCESSOR_AARCH64 };

struct object_file {
  struct image image;
  const char *format; /* "ELF", ...; constant text */
  enum spgc_byte_order byte_order;
  enum processor processor;    /* for names of registers */
  struct map_extent *sections; /* from malloc, in the file's order */
  size_t section_count;
  struct name_table places;    /* functions by the file's position of their addresses */
  struct name_table addresses; /* functions by address; empty in relocatable files */
};

enum raw_order { RAW_ORDER_GUESSED, RAW_ORDER_LITTLE, RAW_ORDER_BIG };

/* A file may have no stack map. `raw_order` is the byte order of a file that is only a section, or
 * RAW_ORDER_GUESSED. Error positions are offsets into the file. The caller always closes `file`,
 * and keeps the image's bytes. */
enum spgc_result object_file_open(struct image image, enum raw_order raw_order,
                                  struct object_file *file, struct spgc_error *error);
void object_file_close(struct object_file *file);

/* NULL if unknown. The name is any text. Only ELF files have names. */
const char *object_file_function(const struct object_file *file, uint64_t position,
                                 uint64_t address);

/* Returns the section's first error, or SPGC_OK. Error positions are offsets into the section. */
enum spgc_result map_section_check(const struct spgc_stackmap_section *section,
                                   struct spgc_error *error);

/* For the formats. The section's header is at `where`. */
enum spgc_result object_file_add(struct object_file *file, uint64_t position, uint64_t size,
                                 uint64_t where, struct spgc_error *error);

bool elf_recognise(const struct image *image);
enum spgc_result elf_find_maps(struct object_file *file, struct spgc_error *error);

bool macho_recognise(const struct image *image);
enum spgc_result macho_find_maps(struct object_file *file, struct spgc_error *error);

bool coff_recognise(const struct image *image);
enum spgc_result coff_find_maps(struct object_file *file, struct spgc_error *error);

#endif
