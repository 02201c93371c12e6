/* A started heap with the test's thread attached, and types of every kind. */
#ifndef SPGC_TESTS_HEAP_WORLD_H
#define SPGC_TESTS_HEAP_WORLD_H

#include <stdint.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/thread.h"
#include "spgc/type.h"

/* Starts the heap with an option string (SPGC_OPTIONS applies on top) and attaches the calling function's frame. */
#define world_open(options) world_open_at(__builtin_frame_address(0), options)
void world_open_at(void *base, const char *options);

/* Verifies the heap, detaches and stops. */
void world_close(void);

/* Fails the test with the message unless the heap is consistent. */
void world_verify(void);

/* What the options of the environment ask for. */
bool world_is_stressed(void);
bool world_verifies(void);

struct spgc_statistics world_statistics(void);

/* Memory of the process that is in RAM. */
uint64_t world_resident_bytes(void);

/* Fields by word index from the object's start. */
void *world_field(struct spgc_handle object, unsigned word);
struct spgc_ref world_get(struct spgc_handle object, unsigned word);
void world_set(struct spgc_handle object, unsigned word, struct spgc_ref value); /* with the barrier */
uint64_t world_get_word(struct spgc_handle object, unsigned word);
void world_set_word(struct spgc_handle object, unsigned word, uint64_t value); /* without: no reference */

/* {header, number}: no references. */
extern const struct spgc_type world_leaf;
/* {header, number, reference, reference}. */
extern const struct spgc_type world_pair;
/* {header, length, reference...}. */
extern const struct spgc_type world_references;
/* {header, length, byte...}. */
extern const struct spgc_type world_bytes;
/* {header, value, value}: each word a reference or not. */
extern const struct spgc_type world_values;
/* {header, length, value, value...}. */
extern const struct spgc_type world_value_array;
/* {header, length, reference, {reference, number, reference}...}. */
extern const struct spgc_type world_records;

/* {header, number, word the collector leaves alone, reference}. */
extern const struct spgc_type world_holder;
enum { WORLD_WEAK_OFFSET = 16 };

/* A handle to a new leaf that holds `number`. */
struct spgc_handle world_new_leaf(uint64_t number);

/* A list of `count` pairs, numbered from its head: 0, 1, ... */
struct spgc_handle world_new_list(uint64_t count);

/* Fails the test unless `list` is what world_new_list(count) made. */
void world_check_list(struct spgc_handle list, uint64_t count);

/* A new holder whose weak field refers to `referent`. */
struct spgc_handle world_new_holder(struct spgc_handle referent);
struct spgc_ref world_weak_referent(struct spgc_handle holder);

/* Allocates until `full` more full collections, or marked and swept cycles, took place. */
void world_churn(uint64_t full);

/* Bytes that collecting `kind` now moves. */
uint64_t world_collect_moved(enum spgc_collection kind);

#endif
