/* Segments of loaded files, found without the loader's lock, as in gc/naming/code_name.h. */
#ifndef SPGC_OBSERVE_PROFILE_CODE_MAPPING_H
#define SPGC_OBSERVE_PROFILE_CODE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

struct spgc_code_mapping {
  uintptr_t start, limit; /* addresses in memory */
  uint64_t offset;        /* its first byte's in the file */
  char build_id[65];      /* hexadecimal; empty if missing or longer */
};

/* False if the instruction is in no file. The code must stay loaded during the call. */
bool spgc_code_mapping_find(uintptr_t instruction, struct spgc_code_mapping *mapping);

#endif
