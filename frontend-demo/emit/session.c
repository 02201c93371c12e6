#include "frontend-demo/emit/session.h"

#include <string.h>

#include "frontend-demo/syntax/arena.h"

struct known_global {
  struct known_global *next;
  const char *name;
  uint32_t hash;
};

enum { BUCKETS = 256 };

/* A global is in the bucket of its hash's low bits. Invariant: next_function is greater than every
 * number handed out. */
struct lox_session {
  struct lox_arena *arena;
  struct known_global *buckets[BUCKETS];
  uint64_t next_function;
};

struct lox_session *lox_session_create(void) {
  struct lox_arena *arena = lox_arena_create();
  struct lox_session *session = lox_arena_allocate(arena, sizeof *session);
  session->arena = arena;
  return session;
}

void lox_session_free(struct lox_session *session) {
  if (session)
    lox_arena_destroy(session->arena);
}

bool lox_session_introduces(struct lox_session *session, const struct lox_name *name) {
  struct known_global **bucket = &session->buckets[name->hash % BUCKETS];
  for (const struct known_global *known = *bucket; known; known = known->next) {
    if (known->hash == name->hash && strcmp(known->name, name->text.bytes) == 0)
      return false;
  }
  struct known_global *global = lox_arena_allocate(session->arena, sizeof *global);
  global->next = *bucket;
  global->name = lox_arena_copy(session->arena, name->text.bytes, name->text.length);
  global->hash = name->hash;
  *bucket = global;
  return true;
}

bool lox_session_mentions(const struct lox_session *session, const char *name) {
  for (unsigned i = 0; session && i < BUCKETS; i++) {
    for (const struct known_global *known = session->buckets[i]; known; known = known->next) {
      if (strcmp(known->name, name) == 0)
        return true;
    }
  }
  return false;
}

uint64_t lox_session_number_functions(struct lox_session *session, uint32_t count) {
  uint64_t first = session->next_function;
  session->next_function += count;
  return first;
}
