/* Weak maps and weak references as Lox objects, and calls on the death of objects.
 *
 * Only objects with an identity can be keys or referents: instances, lists, functions and classes.
 * Strings have none, because they are equal when their characters are, and all other values are no
 * objects of their own.
 */
#ifndef LOX_RUNTIME_WEAK_H
#define LOX_RUNTIME_WEAK_H

#include <stddef.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/weak_map.h"

/* The owner of its map. */
struct lox_weak_map {
  const struct lox_type *type;
  struct spgc_weak_map map;
};

struct lox_weak_ref {
  const struct lox_type *type;
  struct spgc_ref referent; /* weak; LOX_VALUE_NOTHING once it died */
};

extern struct lox_type lox_weak_map_type;
extern struct lox_type lox_weak_ref_type;

_Static_assert(sizeof(struct lox_weak_map) == 2 * sizeof(uint64_t), "objects are made of words");

/* Calls the functions given to on_collect for objects that were found dead and not reported yet.
 * Lox code runs. */
void lox_weak_report_dead(void);

/* Whether on_collect has been called since the runtime was started. */
bool lox_weak_has_reports(void);

/* Calls the functions for all remaining objects, dead or alive. Lox code runs. Returns 0. For
 * lox_run, after the program has ended. */
int lox_weak_report_all(void *context);

#endif
