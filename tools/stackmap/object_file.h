/* Where the stack maps of a file are: an ELF, Mach-O or COFF file, or the bytes of a section alone.
 */
#ifndef SPGC_TOOLS_STACKMAP_OBJECT_FILE_H
#define SPGC_TOOLS_STACKMAP_OBJECT_FILE_H

#include <stddef.h>

#include "spgc/result.h"
#include "tools/stackmap/image.h"

/* The part of a file that holds one section of stack maps; lies in the file. */
struct map_extent {
  uint64_t position;
  uint64_t size;
};

struct object_file {
  struct image image;
  const char *format; /* "ELF", ...; constant text */
  enum spgc_byte_order byte_order;
  struct map_extent *sections; /* from malloc, in the file's order */
  size_t section_count;
};

enum raw_order { RAW_ORDER_GUESSED, RAW_ORDER_LITTLE, RAW_ORDER_BIG };

/* Recognises the format and finds all sections of stack maps; none is no error. `raw_order` is for
 * a file that is a section itself, which does not tell its byte order: guessed, it is the one in
 * which the section can be read. Errors have offsets into the file. `file` is to be closed,
 * whatever the result; the image's bytes stay the caller's. */
enum spgc_result object_file_open(struct image image, enum raw_order raw_order,
                                  struct object_file *file, struct spgc_error *error);
void object_file_close(struct object_file *file);

/* Reads all of a section: the first error, or SPGC_OK. Error positions are offsets into the
 * section. */
enum spgc_result map_section_check(const struct spgc_stackmap_section *section,
                                   struct spgc_error *error);

/* For the formats: adds a section whose bytes were found at `position`; `where` is the offset of
 * what said so. */
enum spgc_result object_file_add(struct object_file *file, uint64_t position, uint64_t size,
                                 uint64_t where, struct spgc_error *error);

bool elf_recognise(const struct image *image);
enum spgc_result elf_find_maps(struct object_file *file, struct spgc_error *error);

bool macho_recognise(const struct image *image);
enum spgc_result macho_find_maps(struct object_file *file, struct spgc_error *error);

bool coff_recognise(const struct image *image);
enum spgc_result coff_find_maps(struct object_file *file, struct spgc_error *error);

#endif
