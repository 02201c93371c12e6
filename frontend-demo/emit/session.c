#include "frontend-demo/emit/emit.h"

#include <string.h>

#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/names.h"

/* Invariant: next_function is greater than every number handed out. */
struct lox_session {
  struct lox_arena *arena;
  struct lox_names names; /* the global variables' */
  uint64_t next_function;
};

struct lox_session *lox_session_create(void) {
  struct lox_arena *arena = lox_arena_create();
  struct lox_session *session = lox_arena_allocate(arena, sizeof *session);
  session->arena = arena;
  lox_names_init(&session->names, arena);
  return session;
}

void lox_session_free(struct lox_session *session) {
  if (session)
    lox_arena_destroy(session->arena);
}

bool lox_session_introduces(struct lox_session *session, const struct lox_name *name) {
  size_t count = session->names.name_count;
  lox_names_intern(&session->names, name->text.bytes, name->text.length);
  return session->names.name_count > count;
}

bool lox_session_mentions(const struct lox_session *session, const char *name) {
  return session && lox_names_find(&session->names, name, strlen(name));
}

uint64_t lox_session_number_functions(struct lox_session *session, uint32_t count) {
  uint64_t first = session->next_function;
  session->next_function += count;
  return first;
}
