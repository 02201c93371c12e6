/* Interned sequences of bytes: equal ones are kept once, and have one number.
 *
 *   bytes    | sequence 0 | sequence 1 | ...      | unused |      each begins at a multiple of 8
 *   entries  the place of each sequence, by number
 *   values   of the table's user for each sequence, by number
 *   slots    open addressing from a hash to a number
 *
 * Invariants:
 *   numbers count from 0, and stay;
 *   at most half of the slots are used, so that a search ends;
 *   `bytes` grows to at most `most_bytes`, and there are at most `most` sequences.
 *
 * A failed addition changes nothing.
 *
 * Unlike observe/snapshot/string_pool.h, these tables live as long as the program: they use malloc,
 * are bounded, are copied for a file, and forget unloaded code. */
#ifndef SPGC_OBSERVE_PROFILE_SEQUENCES_H
#define SPGC_OBSERVE_PROFILE_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPGC_SEQUENCE_NONE = UINT32_MAX };

struct spgc_sequence_entry {
  uint32_t start; /* a word of `bytes` */
  uint32_t length;
  uint32_t hash;
};

/* Written under the lock of the table's user. */
struct spgc_sequences {
  size_t value_bytes; /* constant */
  size_t most_bytes;  /* constant */
  uint32_t most;      /* constant */
  uint32_t count, capacity, slot_count;
  size_t used_bytes, byte_capacity;
  unsigned char *bytes;
  struct spgc_sequence_entry *entries;
  unsigned char *values;
  uint32_t *slots;
};

#define SPGC_SEQUENCES_OF(value_type, most_count, most_size)                                       \
  {.value_bytes = sizeof(value_type), .most = (most_count), .most_bytes = (most_size)}

/* If new, adds it with a zero value. SPGC_SEQUENCE_NONE if the table is full, or out of memory.
 * Values may move. */
uint32_t spgc_sequence_number(struct spgc_sequences *table, const void *bytes, size_t length);

uint32_t spgc_sequence_find(const struct spgc_sequences *table, const void *bytes, size_t length);

static inline const void *spgc_sequence_at(const struct spgc_sequences *table, uint32_t number) {
  return table->bytes + (size_t)table->entries[number].start * sizeof(uint64_t);
}

static inline void *spgc_sequence_value(const struct spgc_sequences *table, uint32_t number) {
  return table->values + number * table->value_bytes;
}

/* Later searches miss it. Its number and bytes stay. */
void spgc_sequence_retire(struct spgc_sequences *table, uint32_t number);

/* False, with `copy` empty, if out of memory. */
bool spgc_sequences_copy(struct spgc_sequences *copy, const struct spgc_sequences *table);
void spgc_sequences_free(struct spgc_sequences *table);

#endif
