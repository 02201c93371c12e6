/* The roots of a stopped world and their places, for a heap snapshot.
 *
 *   group     a stack, its scoped handles, the global handles, or the global variables
 *   root      an object that a root of the group refers to
 *   place     of a root of a stack: a call in a function, and a register or a slot there. Frames of
 *             a recursion share their places
 *   variable  the word of a global variable that such a root is in, and the file it was loaded
 * from */
#ifndef SPGC_OBSERVE_SNAPSHOT_ROOT_LIST_H
#define SPGC_OBSERVE_SNAPSHOT_ROOT_LIST_H

#include "gc/inspect.h"
#include "observe/mapped_array.h"
#include "support/hash_index.h"

struct spgc_listed_group {
  enum spgc_root_group group;
  uint64_t thread; /* or 0 */
  uint64_t fiber;  /* counted from 1 among the thread's suspended ones; 0: the running stack */
  size_t first_root, root_count;
};

struct spgc_listed_root {
  struct spgc_ref object;
  uint32_t name; /* number of a stack root's place or a global root's variable; else number within
                  * the group */
};

struct spgc_listed_file {
  uintptr_t bias; /* the address in memory minus the address in the file */
  struct spgc_code_place place;
};

enum { SPGC_VARIABLE_NAME_BYTES = 160 };

struct spgc_listed_variable {
  uint32_t number; /* among all registered */
  uint32_t file;   /* or SPGC_HASH_MISSING */
  uintptr_t address;
  char text[SPGC_VARIABLE_NAME_BYTES]; /* written by observe/snapshot/place_names.c */
};

enum { SPGC_PLACE_IN_SLOT = UINT16_MAX };

struct spgc_root_place {
  uint32_t call;
  uint16_t reg;   /* DWARF number, or SPGC_PLACE_IN_SLOT */
  int64_t offset; /* relative to the stack pointer at the call */
};

struct spgc_listed_call {
  uintptr_t return_address;
  struct spgc_code_place place;
  char text[480]; /* written by the language, or by observe/snapshot/place_names.c */
};

struct spgc_root_list {
  const struct spgc_heap *heap;
  bool is_incomplete;   /* the system refused memory */
  uint32_t next_number; /* the next in a group without places */
  uint64_t fibers;      /* the number so far */
  struct spgc_mapped_array groups, roots, places, calls, variables, files;
  struct spgc_hash_index place_index, call_index;
};

/* All but those in side tables. False if the system refuses memory; the list must be freed in any
 * case. */
bool spgc_root_list_fill(struct spgc_root_list *list, struct spgc_stopped_world world,
                         const struct spgc_heap *heap);
void spgc_root_list_free(struct spgc_root_list *list);

static inline size_t spgc_root_list_groups(const struct spgc_root_list *list) {
  return SPGC_MAPPED_COUNT(&list->groups, struct spgc_listed_group);
}

static inline const struct spgc_listed_group *
spgc_root_list_group(const struct spgc_root_list *list, size_t index) {
  return SPGC_MAPPED_AT(&list->groups, struct spgc_listed_group, index);
}

static inline const struct spgc_listed_root *spgc_root_list_root(const struct spgc_root_list *list,
                                                                 size_t index) {
  return SPGC_MAPPED_AT(&list->roots, struct spgc_listed_root, index);
}

static inline size_t spgc_root_list_calls(const struct spgc_root_list *list) {
  return SPGC_MAPPED_COUNT(&list->calls, struct spgc_listed_call);
}

static inline size_t spgc_root_list_variables(const struct spgc_root_list *list) {
  return SPGC_MAPPED_COUNT(&list->variables, struct spgc_listed_variable);
}

static inline size_t spgc_root_list_places(const struct spgc_root_list *list) {
  return SPGC_MAPPED_COUNT(&list->places, struct spgc_root_place);
}

#endif
