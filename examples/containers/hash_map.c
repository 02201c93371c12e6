#include "hash_map.h"

#include <string.h>

struct entry {
  const struct spgc_type *type;
  struct entry SPGC_MANAGED *next;
  text key;
  object value;
  uint64_t hash;
};
typedef struct entry SPGC_MANAGED *entry;

struct buckets {
  const struct spgc_type *type;
  uint64_t length; /* a power of 2 */
  entry first[];
};
typedef struct buckets SPGC_MANAGED *buckets;

static const struct spgc_type text_type = SPGC_DATA_ARRAY_TYPE(struct text, bytes);
static const struct spgc_type map_type =
    SPGC_OBJECT_TYPE(struct hash_map, SPGC_OFFSET(struct hash_map, buckets));
static const struct spgc_type entry_type =
    SPGC_OBJECT_TYPE(struct entry, SPGC_OFFSET(struct entry, next), SPGC_OFFSET(struct entry, key),
                     SPGC_OFFSET(struct entry, value));
static const struct spgc_type buckets_type = SPGC_ARRAY_TYPE(struct buckets, first, 0);

text text_make(const char *bytes) {
  uint64_t length = strlen(bytes);
  text made = spgc_allocate_array(&text_type, length);
  for (uint64_t i = 0; i < length; i++)
    made->bytes[i] = bytes[i];
  return made;
}

/* FNV-1a of the bytes, because an object's address changes. A leaf reaches no safepoint, so its
 * calls cost less. */
SPGC_LEAF static uint64_t hash_of(text key) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (uint64_t i = 0; i < key->length; i++)
    hash = (hash ^ (unsigned char)key->bytes[i]) * UINT64_C(0x100000001b3);
  return hash;
}

SPGC_LEAF static bool texts_are_equal(text a, text b) {
  if (a->length != b->length)
    return false;
  for (uint64_t i = 0; i < a->length; i++)
    if (a->bytes[i] != b->bytes[i])
      return false;
  return true;
}

hash_map hash_map_make(void) {
  hash_map map = spgc_allocate(&map_type);
  map->buckets = spgc_allocate_array(&buckets_type, 8);
  return map;
}

static entry find(hash_map map, text key, uint64_t hash) {
  buckets all = map->buckets;
  for (entry at = all->first[hash & (all->length - 1)]; at; at = at->next)
    if (at->hash == hash && texts_are_equal(at->key, key))
      return at;
  return NULL;
}

static void grow(hash_map map) {
  buckets larger = spgc_allocate_array(&buckets_type, 2 * map->buckets->length);
  for (uint64_t i = 0; i < map->buckets->length; i++)
    for (entry at = map->buckets->first[i], next; at; at = next) {
      uint64_t bucket = at->hash & (larger->length - 1);
      next = at->next;
      at->next = larger->first[bucket];
      larger->first[bucket] = at;
    }
  map->buckets = larger;
}

void hash_map_set(hash_map map, text key, object value) {
  uint64_t hash = hash_of(key);
  entry found = find(map, key, hash);
  if (found) {
    found->value = value;
    return;
  }
  if (map->size == map->buckets->length)
    grow(map);
  entry added = spgc_allocate(&entry_type);
  uint64_t bucket = hash & (map->buckets->length - 1);
  added->next = map->buckets->first[bucket];
  added->key = key;
  added->value = value;
  added->hash = hash;
  map->buckets->first[bucket] = added;
  map->size++;
}

object hash_map_get(hash_map map, text key) {
  entry found = find(map, key, hash_of(key));
  return found ? found->value : NULL;
}

bool hash_map_remove(hash_map map, text key) {
  uint64_t hash = hash_of(key), bucket = hash & (map->buckets->length - 1);
  entry found = find(map, key, hash), before = map->buckets->first[bucket];
  if (!found)
    return false;
  if (before == found)
    map->buckets->first[bucket] = found->next;
  else {
    while (before->next != found)
      before = before->next;
    before->next = found->next;
  }
  map->size--;
  return true;
}
