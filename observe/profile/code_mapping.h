/* Where segments of loaded files are in memory, as tools that read profiles expect it. Found
 * without the loader's lock, like names of code (gc/naming/code_name.h). */
#ifndef SPGC_OBSERVE_PROFILE_CODE_MAPPING_H
#define SPGC_OBSERVE_PROFILE_CODE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct spgc_code_mapping {
  uintptr_t start, limit; /* the segment in memory */
  uint64_t offset;        /* its first byte in the file */
  char build_id[65];      /* hexadecimal; empty if the file has none, or a longer one */
};

/* False if the instruction was not loaded from a file. The code must stay loaded during the
 * call. */
bool spgc_code_mapping_find(uintptr_t instruction, struct spgc_code_mapping *mapping);

#endif
