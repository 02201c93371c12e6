/* Each section must have been checked (map_section_check). */
#ifndef SPGC_TOOLS_STACKMAP_PRINT_H
#define SPGC_TOOLS_STACKMAP_PRINT_H

#include <stdbool.h>
#include <stdio.h>

#include "spgc/stackmap_reader.h"
#include "tools/stackmap/object_file.h"

struct print_options {
  bool statepoints; /* decode statepoints' locations */
};

/* As text for a terminal. */
void print_text(FILE *out, const char *path, const struct object_file *file,
                const struct print_options *options);

/* One JSON document on one line. If it returns false, for lack of memory, nothing was printed. */
bool print_json(FILE *out, const struct object_file *file, const struct print_options *options);

/* For example "Register". */
const char *location_kind_name(enum spgc_location_kind kind);

struct spgc_stackmap_section file_section(const struct object_file *file, size_t index);

/* Reads the checked blob or record at *position. False at the end. */
bool next_blob(const struct spgc_stackmap_section *section, uint64_t *position,
               struct spgc_stackmap_blob *blob);
struct spgc_stackmap_record next_record(const struct spgc_stackmap_section *section,
                                        const struct spgc_stackmap_blob *blob, uint64_t *position);

#endif
