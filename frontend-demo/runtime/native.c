#include "frontend-demo/runtime/native.h"

#include <string.h>

#include "frontend-demo/runtime/object.h"

struct entry {
  struct lox_native_object object;
  struct lox_native native;
};

static struct entry entries[] = {
#define NATIVE(enumerator, name_, arity, result)                                                   \
  {.native = {                                                                                     \
       .type = {.gc = {.size = sizeof(struct lox_native_object), .name = "native function"},       \
                .kind = LOX_OBJECT_NATIVE,                                                         \
                .call_key = (arity),                                                               \
                .code = (void *)lox_native_##name_},                                               \
       .name = #name_}},
    LOX_NATIVES(NATIVE)
#undef NATIVE
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
