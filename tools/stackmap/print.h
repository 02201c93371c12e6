/* Prints the sections of a file. Each section must have been checked as a whole
 * (map_section_check). */
#ifndef SPGC_TOOLS_STACKMAP_PRINT_H
#define SPGC_TOOLS_STACKMAP_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "spgc/stackmap_reader.h"
#include "tools/stackmap/object_file.h"

struct print_options {
  bool statepoints; /* decode statepoints' locations */
};

/* Prints text for people. `path` is the heading. */
void print_text(FILE *out, const char *path, const struct object_file *file,
                const struct print_options *options);

/* Prints one JSON document on one line. False: out of memory, and nothing was printed. */
bool print_json(FILE *out, const struct object_file *file, const struct print_options *options);

/* "Register", ... */
const char *location_kind_name(enum spgc_location_kind kind);

/* Section number `index` of the file. */
struct spgc_stackmap_section file_section(const struct object_file *file, size_t index);

/* Reads the blob or record at *position. Both were checked, so reading cannot fail. False: no
 * further blob. */
bool next_blob(const struct spgc_stackmap_section *section, uint64_t *position,
               struct spgc_stackmap_blob *blob);
struct spgc_stackmap_record next_record(const struct spgc_stackmap_section *section,
                                        const struct spgc_stackmap_blob *blob, uint64_t *position);

#endif
