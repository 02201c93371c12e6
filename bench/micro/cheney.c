#include "bench/micro/cheney.h"

#include "spgc/type.h"

enum { WORD = 8 };

struct cheney {
  struct cheney_space from;
  uintptr_t to, cursor;
};

/* A descriptor is in neither area: a header in `to` says where the object went. */
static inline uintptr_t forward(struct cheney *cheney, uintptr_t object) {
  if (object - cheney->from.start >= cheney->from.size)
    return object;
  uintptr_t header = *(const uintptr_t *)object;
  if (header - cheney->to < cheney->from.size)
    return header;
  uintptr_t copy = cheney->cursor, end = copy + ((const struct spgc_type *)header)->size;
  for (uintptr_t word = copy; word < end; word += WORD, object += WORD)
    *(uintptr_t *)word = *(const uintptr_t *)object;
  *(uintptr_t *)(object - (end - copy)) = copy;
  cheney->cursor = end;
  return copy;
}

size_t cheney_copy(struct cheney_space from, uintptr_t to, uintptr_t root) {
  struct cheney cheney = {from, to, to};
  forward(&cheney, root);
  for (uintptr_t object = to; object < cheney.cursor;) {
    uintptr_t end = object + (*(const struct spgc_type **)object)->size;
    for (uintptr_t word = object + WORD; word < end; word += WORD)
      *(uintptr_t *)word = forward(&cheney, *(const uintptr_t *)word);
    object = end;
  }
  return cheney.cursor - to;
}
