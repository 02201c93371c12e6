/* Ranges of roots: words that hold references in memory of the program, such as a virtual machine's
 * stack.
 *
 *   static spgc_value *stack; // from malloc
 *   static struct spgc_roots stack_roots;
 *
 *   stack_roots = (struct spgc_roots){.first = (struct spgc_ref *)stack, .name = "stack"};
 *   spgc_roots_add(&stack_roots);
 *   ...
 *   stack[height++] = value;     // a plain store: no barrier
 *   stack_roots.count = height;  // before the next safepoint
 *
 * Each collection reads the first `count` words, and updates those whose objects have moved. A word
 * is a reference or a number, as in spgc/ref.h. Later words keep nothing alive and go stale, so
 * write a word before counting it.
 *
 * The program may change `first` and `count`, for example when a stack grows or moves. They must be
 * correct whenever any thread is at a safepoint, because a collection may happen there. Every
 * collection reads all ranges in full, so make a large table that seldom changes an object instead.
 *
 * The functions are for any thread in any state and are not safepoints. */
#ifndef SPGC_ROOTS_H
#define SPGC_ROOTS_H

#include <stdint.h>

#include "spgc/ref.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The program owns a range, and keeps it in place while it is added. Unset members are 0. */
struct spgc_roots {
  struct spgc_ref *first;  /* may be NULL while `count` is 0 */
  uint64_t count;          /* words */
  const char *name;        /* for messages and heap snapshots; may be NULL */
  struct spgc_roots *next; /* for the library */
  uintptr_t reserved[2];   /* must be 0; for later releases */
};

/* Adds a range, also before spgc_start. Fatal if it is added already, or if a reserved member is
 * not 0. */
void spgc_roots_add(struct spgc_roots *roots);

/* Removes a range. Does nothing if it is not added. */
void spgc_roots_remove(struct spgc_roots *roots);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
