/* Chains in an array that grows, from texts to objects. Managed C: include it first. */
#ifndef HASH_MAP_H
#define HASH_MAP_H

#include "spgc/managed.h"

struct text {
  const struct spgc_type *type;
  uint64_t length;
  char bytes[];
};
typedef struct text SPGC_MANAGED *text;

struct buckets;
struct hash_map {
  const struct spgc_type *type;
  struct buckets SPGC_MANAGED *buckets;
  uint64_t size;
};
typedef struct hash_map SPGC_MANAGED *hash_map;

/* Values are objects of any type. */
typedef void SPGC_MANAGED *object;

/* The bytes are C's. */
text text_make(const char *bytes);

hash_map hash_map_make(void);
void hash_map_set(hash_map map, text key, object value);

/* Null without the key. */
object hash_map_get(hash_map map, text key);

/* Whether the key was there. */
bool hash_map_remove(hash_map map, text key);

#endif
