/* Pointers to a flat map's arrays (spgc/flat_stackmap.h).
 *
 * Bases, derived locations and deopt locations are laid out as in frame descriptions, which can
 * therefore point into the map. */
#ifndef SPGC_STACKWALK_FLAT_VIEW_H
#define SPGC_STACKWALK_FLAT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "spgc/flat_stackmap.h"
#include "stackwalk/location.h"

/* X(element type, name): the arrays in order; the header's NAME_count is the number of elements. */
#define FLAT_ARRAYS(X)                                                                             \
  X(uint64_t, constant)                                                                            \
  X(struct spgc_flat_deopt, deopt)                                                                 \
  X(struct spgc_flat_function, function)                                                           \
  X(struct spgc_flat_call, call)                                                                   \
  X(struct spgc_flat_frame, frame)                                                                 \
  X(struct spgc_flat_base, base)                                                                   \
  X(struct spgc_flat_derived, derived)                                                             \
  X(struct spgc_flat_point, point)                                                                 \
  X(struct spgc_flat_location, location)                                                           \
  X(struct spgc_flat_live_out, live_out)

struct flat_view {
  const struct spgc_flat_header *header;
#define FLAT_ARRAY(type, name) const type *name;
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  uint64_t bytes;
};

#define FLAT_SAME_FIELD(flat, flat_field, native, native_field)                                    \
  _Static_assert(offsetof(flat, flat_field) == offsetof(native, native_field) &&                   \
                     sizeof(((flat *)0)->flat_field) == sizeof(((native *)0)->native_field),       \
                 "flat records are read as what frame descriptions point to")
FLAT_SAME_FIELD(struct spgc_flat_base, offset, struct location, offset);
FLAT_SAME_FIELD(struct spgc_flat_base, words, struct location, words);
FLAT_SAME_FIELD(struct spgc_flat_base, reg, struct location, reg);
FLAT_SAME_FIELD(struct spgc_flat_derived, location, struct derived_location, location);
FLAT_SAME_FIELD(struct spgc_flat_derived, base, struct derived_location, base);
FLAT_SAME_FIELD(struct spgc_flat_derived, rewritten, struct derived_location, rewritten);
FLAT_SAME_FIELD(struct spgc_flat_deopt, kind, struct deopt_location, kind);
FLAT_SAME_FIELD(struct spgc_flat_deopt, size, struct deopt_location, size);
FLAT_SAME_FIELD(struct spgc_flat_deopt, reg, struct deopt_location, reg);
FLAT_SAME_FIELD(struct spgc_flat_deopt, value, struct deopt_location, value);
_Static_assert(sizeof(struct spgc_flat_base) == sizeof(struct location) &&
                   sizeof(struct spgc_flat_derived) == sizeof(struct derived_location) &&
                   sizeof(struct spgc_flat_deopt) == sizeof(struct deopt_location) &&
                   sizeof(struct spgc_flat_header) % SPGC_FLAT_ALIGNMENT == 0,
               "flat records are read as what frame descriptions point to");

static inline uint64_t flat_align(uint64_t position) {
  return (position + SPGC_FLAT_ALIGNMENT - 1) & ~(uint64_t)(SPGC_FLAT_ALIGNMENT - 1);
}

/* Reads only the header. */
static inline struct flat_view flat_view_of(const void *map) {
  const struct spgc_flat_header *header = map;
  const unsigned char *start = (const unsigned char *)header;
  struct flat_view view = {.header = header, .bytes = sizeof *header};
#define FLAT_ARRAY(type, name)                                                                     \
  view.name = (const type *)(start + view.bytes);                                                  \
  view.bytes = flat_align(view.bytes + (uint64_t)header->name##_count * sizeof(type));
  FLAT_ARRAYS(FLAT_ARRAY)
#undef FLAT_ARRAY
  return view;
}

static inline const struct location *flat_bases(const struct spgc_flat_base *bases) {
  const void *same = bases;
  return same;
}

static inline const struct derived_location *flat_derived(const struct spgc_flat_derived *derived) {
  const void *same = derived;
  return same;
}

static inline const struct deopt_location *flat_deopts(const struct spgc_flat_deopt *deopts) {
  const void *same = deopts;
  return same;
}

static inline uintptr_t flat_code_start(const struct spgc_flat_header *header) {
  return (uintptr_t)&header->code + (uintptr_t)header->code;
}

static inline bool flat_is_flat(const void *section, size_t size) {
  return size >= sizeof(struct spgc_flat_header) &&
         memcmp(section, SPGC_FLAT_MAGIC, sizeof SPGC_FLAT_MAGIC - 1) == 0;
}

#endif
