#ifndef SPGC_GC_MUTATOR_HANDLES_H
#define SPGC_GC_MUTATOR_HANDLES_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/handle.h"

typedef void (*spgc_root_visitor)(void *context, struct spgc_slot slot, const char *what);

enum spgc_nulls { SPGC_NULLS_SKIPPED, SPGC_NULLS_VISITED };

/* Large tables of roots are mostly null. */
static inline void spgc_root_words_visit(struct spgc_ref *first, size_t count,
                                         enum spgc_nulls nulls, spgc_root_visitor visit,
                                         void *context, const char *what) {
  for (size_t i = 0; i < count; i++)
    if (first[i].word != 0 || nulls == SPGC_NULLS_VISITED)
      visit(context, (struct spgc_slot){&first[i]}, what);
}

/* With a bit for each slot. */
enum { SPGC_HANDLE_CHUNK = 1007, SPGC_HANDLE_WORD_BITS = 64 };

/* Marks the chunks of global handles. */
#define SPGC_GLOBAL_CHUNK UINT32_C(0x9E3779B9)

/* Slots of scoped or of global handles, at a multiple of its size.
 *
 * Invariant: unless it is written, its slots refer to nothing young. */
struct spgc_handle_chunk {
  char written;  /* since the last visit; set by spgc_handle_set, cleared with the world stopped */
  uint32_t seal; /* SPGC_GLOBAL_CHUNK or 0; cleared when the chunk is freed */
  uint64_t in_use[SPGC_HANDLE_CHUNK / SPGC_HANDLE_WORD_BITS + 1]; /* of global handles */
  struct spgc_ref slots[SPGC_HANDLE_CHUNK];
};

_Static_assert(sizeof(struct spgc_handle_chunk) == SPGC_HANDLE_CHUNK_BYTES, "spgc_handle_set");

/* Only frames resumed and handles written since the last collection may refer to young objects. */
enum spgc_visited { SPGC_ALL_ROOTS, SPGC_CHANGED_ROOTS };

/* Chunks never move. Slot i is in use iff i < height. */
struct spgc_handle_stack {
  struct spgc_handle_chunk **chunks;
  size_t chunk_count;
  size_t height;
  size_t hook_height; /* when the hook began, or 0; at a lower height it was left */
};

void spgc_handle_stack_visit(const struct spgc_handle_stack *stack, enum spgc_visited visited,
                             spgc_root_visitor visit, void *context);
void spgc_handle_stack_free(struct spgc_handle_stack *stack);
void spgc_global_handles_visit(enum spgc_visited visited, spgc_root_visitor visit, void *context);
bool spgc_global_handles_exist(void);

/* Frees chunks if no handle is in use. */
void spgc_global_handles_trim(void);

#endif
