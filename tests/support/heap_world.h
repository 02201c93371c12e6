/* The test's thread is attached. */
#ifndef SPGC_TESTS_HEAP_WORLD_H
#define SPGC_TESTS_HEAP_WORLD_H

#include <stdint.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/thread.h"
#include "spgc/type.h"

/* SPGC_OPTIONS applies on top. Attaches the calling function's frame. */
#define world_open(options) world_open_at(__builtin_frame_address(0), options)
void world_open_at(void *base, const char *options);

/* Overrides SPGC_OPTIONS, for tests of an option or that count: no collection before a nursery is
 * full, and old objects stay. */
#define world_open_fixed(options) world_open_fixed_at(__builtin_frame_address(0), options)
void world_open_fixed_at(void *base, const char *options);

/* Settings that override SPGC_OPTIONS until replaced or the world is closed. */
void world_require(const char *settings);

void world_close(void);

void world_verify(void);

bool world_is_stressed(void);
bool world_verifies(void);
bool world_poisons(void);

uint64_t world_number(const char *variable, uint64_t otherwise);

/* Some tests do less, because everything is 3 to 20 times slower. */
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
enum { WORLD_IS_SANITIZED = true };
#else
enum { WORLD_IS_SANITIZED = false };
#endif

/* How much to do. */
uint64_t world_amount(uint64_t plain, uint64_t verified, uint64_t stressed);

struct spgc_statistics world_statistics(void);

int world_count_threads(const char *name);

/* The process's anonymous memory in RAM, exactly. */
uint64_t world_resident_bytes(void);

/* The most of it that AddressSanitizer's shadow of vacated memory and record of vacated objects
 * take. */
uint64_t world_checker_bytes(void);

/* Fields by word index from the object's start. */
void *world_field(struct spgc_handle object, unsigned word);
struct spgc_ref world_get(struct spgc_handle object, unsigned word);
void world_set(struct spgc_handle object, unsigned word,
               struct spgc_ref value); /* with the barrier */
uint64_t world_get_word(struct spgc_handle object, unsigned word);
void world_set_word(struct spgc_handle object, unsigned word,
                    uint64_t value); /* without: not a reference */

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

/* {header, number, word the collector ignores, reference}. */
extern const struct spgc_type world_holder;
enum { WORLD_WEAK_OFFSET = 16 };

struct spgc_handle world_new_leaf(uint64_t number);

/* Numbered from the head: 0, 1, ... */
struct spgc_handle world_new_list(uint64_t count);

void world_check_list(struct spgc_handle list, uint64_t count);

/* Null, or with a reference in its third word: a pair, or a large array if each allocation
 * collects. */
struct spgc_ref world_new_element(void);
uint64_t world_element_bytes(void);

/* Ends when memory is exhausted. Returns the number. */
uint64_t world_fill(struct spgc_handle list);

struct spgc_handle world_new_holder(struct spgc_handle referent);
struct spgc_ref world_weak_referent(struct spgc_handle holder);

/* Final marks and full collections. */
uint64_t world_old_collections(void);

/* Allocates until that many more of these have run. */
void world_churn(uint64_t old_collections);

uint64_t world_collect_moved(enum spgc_collection kind);

/* Exactly `bytes` must move; more if everything always moves, fewer if each allocation collects,
 * none if copying took too long. */
void world_collect_moving(enum spgc_collection kind, uint64_t bytes);

/* Minor collections, or full ones if everything always moves. */
uint64_t world_usual_collections(void);

#endif
