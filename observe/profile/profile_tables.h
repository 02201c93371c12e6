/* The tables of the allocation profile.
 *
 *   strings    names of types, functions and files
 *   mappings   segments of loaded files
 *   places     calls, by the address of their instruction
 *   stacks     lists of places, the innermost first
 *   counts     allocations, by stack, type and collections survived
 *
 * Everything but source lines is noted when code is first seen, because it may be unloaded. */
#ifndef SPGC_OBSERVE_PROFILE_PROFILE_TABLES_H
#define SPGC_OBSERVE_PROFILE_PROFILE_TABLES_H

#include "observe/profile/sequences.h"

enum { SPGC_PROFILE_NONE = SPGC_SEQUENCE_NONE };

struct spgc_profile_mapping {
  uint64_t start, limit, offset; /* struct spgc_code_mapping */
  uint32_t file, build_id;
};

struct spgc_profile_place {
  uint32_t function, source; /* or SPGC_PROFILE_NONE */
  uint32_t line;             /* or 0 */
  uint32_t mapping;          /* or SPGC_PROFILE_NONE */
  uint64_t file_address;     /* the address in debug information */
  bool is_program;
  bool is_described; /* the language has described it (spgc/code_name.h) */
};

struct spgc_profile_key {
  uint32_t stack, type, survived; /* see spgc_profile_round_survived for `survived` */
};

/* Estimates for all objects. */
struct spgc_profile_counts {
  double allocated_objects, allocated_bytes, live_objects, live_bytes;
};

struct spgc_profile_tables {
  struct spgc_sequences strings, mappings, places, stacks, counts;
};

struct spgc_profile_tables spgc_profile_tables_empty(void);

/* SPGC_PROFILE_NONE if out of memory. */
uint32_t spgc_profile_string(struct spgc_profile_tables *tables, const char *text);

/* "" for SPGC_PROFILE_NONE. Valid until a string is added. */
const char *spgc_profile_text(const struct spgc_profile_tables *tables, uint32_t string);

/* Exact up to 8, then the power of two below, so that long-lived objects share counts. */
uint32_t spgc_profile_round_survived(uint64_t collections);

/* NULL if out of memory. Valid until the next call. */
struct spgc_profile_counts *spgc_profile_counts_of(struct spgc_profile_tables *tables,
                                                   const struct spgc_profile_key *key);

/* For the file's writer; copies are not bounded. False if out of memory. */
bool spgc_profile_tables_copy(struct spgc_profile_tables *copy,
                              const struct spgc_profile_tables *tables);

void spgc_profile_tables_free(struct spgc_profile_tables *tables);

#endif
