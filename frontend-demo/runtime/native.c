#include "frontend-demo/runtime/native.h"

#include <string.h>

#include "frontend-demo/runtime/object.h"

struct entry {
  struct lox_native_object object;
  struct lox_native native;
};

#define NATIVE(name_, arity)                                                                                           \
  {                                                                                                                    \
    .native = {                                                                                                        \
      .type = {.gc = {.size = sizeof(struct lox_native_object), .name = "native function"},                            \
               .kind = LOX_OBJECT_NATIVE,                                                                              \
               .call_key = (arity),                                                                                    \
               .code = (void *)lox_native_##name_},                                                                    \
      .name = #name_                                                                                                   \
    }                                                                                                                  \
  }

static struct entry entries[] = {
    NATIVE(len, 1),       NATIVE(push, 2),      NATIVE(pop, 1),       NATIVE(substring, 3),
    NATIVE(char_at, 2),   NATIVE(to_string, 1), NATIVE(to_number, 1), NATIVE(read_file, 1),
    NATIVE(read_line, 0), NATIVE(args, 0),      NATIVE(clock, 0),     NATIVE(gc, 0),
};

static struct entry *find(const char *text, uint64_t length) {
  for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
    const char *name = entries[i].native.name;
    if (strlen(name) == length && memcmp(name, text, length) == 0)
      return &entries[i];
  }
  return NULL;
}

uint64_t lox_native_exists(const char *text, uint64_t length) {
  return find(text, length) != NULL;
}

struct spgc_ref lox_native_value(const char *text, uint64_t length) {
  struct entry *entry = find(text, length);
  if (entry == NULL)
    return spgc_ref_from_word(LOX_VALUE_NOTHING);
  entry->object.native = &entry->native;
  return spgc_ref_from_word((uintptr_t)&entry->object);
}
