#include "support/sized.h"

#include <string.h>

#include "support/fatal.h"
#include "support/min_max.h"

enum { LEAST_BYTES = 2 * sizeof(size_t), MOST_BYTES = 1 << 16 };

static size_t size_of(const void *structure) {
  size_t size;
  memcpy(&size, structure, sizeof size);
  return size;
}

static bool is_possible(size_t size) {
  return size >= LEAST_BYTES && size <= MOST_BYTES && size % sizeof(size_t) == 0;
}

static bool any_set(const void *structure, size_t from, size_t to) {
  const unsigned char *bytes = structure;
  for (size_t i = from; i < to; i++)
    if (bytes[i] != 0)
      return true;
  return false;
}

enum spgc_result spgc_sized_read(void *own, size_t own_size, const void *given, const char *caller,
                                 struct spgc_error *error) {
  size_t size = size_of(given);
  if (!is_possible(size))
    return spgc_error_set(
        error, SPGC_ERROR_INVALID_ARGUMENT, 0,
        "%s: no release has options of %zu bytes; begin with the function that sets the defaults",
        caller, size);
  if (any_set(given, own_size, size))
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "%s: an option is set that this library does not know: the program was "
                          "compiled for a later one (%zu bytes of options, not %zu)",
                          caller, size, own_size);
  memcpy(own, given, spgc_min(size, own_size));
  memcpy(own, &own_size, sizeof own_size);
  return SPGC_OK;
}

void spgc_sized_write(void *given, const void *own, size_t own_size, const char *caller) {
  size_t size = size_of(given);
  spgc_require(is_possible(size), "%s: the structure's size is not set: it is %zu", caller, size);
  size_t known = spgc_min(size, own_size);
  memcpy((char *)given + sizeof size, (const char *)own + sizeof size, known - sizeof size);
  memset((char *)given + known, 0, size - known);
}

bool spgc_sized_loses(const void *given, const void *own, size_t own_size) {
  return any_set(own, size_of(given), own_size);
}
