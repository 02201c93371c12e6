#include "frontend-demo/syntax/names.h"

#include <string.h>

#include "frontend-demo/syntax/arena.h"

enum { FIRST_BUCKET_COUNT = 64 };

void lox_names_init(struct lox_names *names, struct lox_arena *arena) {
  *names = (struct lox_names){.arena = arena};
}

/* FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint32_t hash_of(const char *bytes, size_t length) {
  uint32_t hash = 2166136261u;
  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
  return hash;
}

static struct lox_name **bucket_of(const struct lox_names *names, uint32_t hash) {
  return &names->buckets[hash & (names->bucket_count - 1)];
}

static void insert(struct lox_names *names, struct lox_name *name) {
  struct lox_name **bucket = bucket_of(names, name->hash);
  name->next = *bucket;
  *bucket = name;
}

static void enlarge(struct lox_names *names) {
  struct lox_name **old = names->buckets;
  size_t old_count = names->bucket_count;
  names->bucket_count = old_count == 0 ? FIRST_BUCKET_COUNT : 2 * old_count;
  names->buckets =
      lox_arena_allocate(names->arena, names->bucket_count * sizeof(struct lox_name *));
  for (size_t i = 0; i < old_count; i++) {
    for (struct lox_name *name = old[i]; name;) {
      struct lox_name *next = name->next;
      insert(names, name);
      name = next;
    }
  }
}

struct lox_name *lox_names_find(const struct lox_names *names, const char *bytes, size_t length) {
  uint32_t hash = hash_of(bytes, length);
  struct lox_name *name = names->bucket_count > 0 ? *bucket_of(names, hash) : NULL;
  while (name && !(name->hash == hash && name->text.length == length &&
                   memcmp(name->text.bytes, bytes, length) == 0))
    name = name->next;
  return name;
}

struct lox_name *lox_names_intern(struct lox_names *names, const char *bytes, size_t length) {
  struct lox_name *known = lox_names_find(names, bytes, length);
  if (known)
    return known;
  if (names->name_count == names->bucket_count)
    enlarge(names);
  struct lox_name *name = lox_arena_allocate(names->arena, sizeof(struct lox_name));
  name->text = (struct lox_string){lox_arena_copy(names->arena, bytes, length), length};
  name->hash = hash_of(bytes, length);
  insert(names, name);
  names->name_count++;
  return name;
}
