/* The symbols of abi.h with their addresses, for a loader that cannot look them up in the
 * executable. */
#ifndef LOX_RUNTIME_ENTRY_POINTS_H
#define LOX_RUNTIME_ENTRY_POINTS_H

#include <stddef.h>

struct lox_entry_point {
  const char *name;
  void *address;
};

extern const struct lox_entry_point lox_entry_points[];
extern const size_t lox_entry_point_count;

#endif
