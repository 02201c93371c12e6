/* Which granules of an area are taken: a bit for each, and a tree that knows the free runs.
 *
 *   leaves   words of 64 granules, read from the bits
 *   nodes    of the leaves below: the free run at the start, the longest, and the one at the end
 *
 * A node counts the granules missing from these runs, so zeroed memory means that all are free:
 * a large area costs no memory until used, and freeing never needs any. */
#ifndef SPGC_CODEGEN_JIT_JIT_SPACE_H
#define SPGC_CODEGEN_JIT_JIT_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JIT_LEAF_GRANULES = 64 };

struct jit_runs;

/* Written under the JIT's lock. */
struct jit_space {
  uint64_t *taken;
  struct jit_runs *runs; /* node n has the children 2n and 2n + 1; the root is node 1 */
  size_t leaves;         /* a power of two */
  size_t bytes;          /* both arrays, in one mapping */
};

/* `granules` is a power of two and at least 128; all are free. False without address space. */
bool spgc_jit_space_open(struct jit_space *space, size_t granules);
void spgc_jit_space_close(struct jit_space *space);

/* start + phase must be a multiple of `granules`, a power of two. */
struct jit_alignment {
  size_t granules, phase;
};

/* The start of the first free run with room at any alignment. */
bool spgc_jit_space_take(struct jit_space *space, size_t count, struct jit_alignment alignment,
                         size_t *start);
void spgc_jit_space_give_back(struct jit_space *space, size_t start, size_t count);

bool spgc_jit_space_is_free(const struct jit_space *space, size_t start, size_t end);

/* The first leaves with taken granules from `*start`, up to the next free leaf. False if there are
 * none. */
bool spgc_jit_space_next(const struct jit_space *space, size_t *start, size_t *end);

#endif
