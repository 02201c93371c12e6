#include "codegen/ir/loops.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

enum { UNREACHED = -1, UNKNOWN = -1 };

struct block_number {
  LLVMBasicBlockRef block;
  unsigned number;
};

static int compare_blocks(const void *a, const void *b) {
  LLVMBasicBlockRef left = ((const struct block_number *)a)->block;
  LLVMBasicBlockRef right = ((const struct block_number *)b)->block;
  return left < right ? -1 : left > right;
}

static struct block_number *find_number(struct block_number *numbers, size_t count,
                                        LLVMBasicBlockRef block) {
  const struct block_number wanted = {block, 0};
  return bsearch(&wanted, numbers, count, sizeof wanted, compare_blocks);
}

static unsigned successor_count(LLVMBasicBlockRef block) {
  return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block));
}

/* A depth-first search from the entry. Blocks are first numbered by their place in the function. */
struct search {
  size_t count;
  struct block_number *numbers;
  LLVMBasicBlockRef *blocks;
  struct flow_edges successors; /* edges that lead away from a block */
  int *place;                   /* in postorder; UNREACHED before */
  unsigned *order;              /* the blocks in postorder */
  size_t reached;
};

static void list_blocks(struct search *search, LLVMValueRef function) {
  search->count = LLVMCountBasicBlocks(function);
  search->numbers = spgc_zeroed(search->count, sizeof *search->numbers);
  search->blocks = (LLVMBasicBlockRef *)spgc_zeroed(search->count, sizeof(LLVMBasicBlockRef));
  search->place = spgc_zeroed(search->count, sizeof *search->place);
  search->order = spgc_zeroed(search->count, sizeof *search->order);
  LLVMGetBasicBlocks(function, search->blocks);
  for (unsigned i = 0; i < search->count; i++) {
    search->numbers[i] = (struct block_number){search->blocks[i], i};
    search->place[i] = UNREACHED;
  }
  qsort(search->numbers, search->count, sizeof *search->numbers, compare_blocks);
}

static void list_successors(struct search *search) {
  size_t edges = 0;
  search->successors.first = spgc_zeroed(search->count + 1, sizeof(unsigned));
  for (size_t i = 0; i < search->count; i++) {
    search->successors.first[i] = (unsigned)edges;
    edges += successor_count(search->blocks[i]);
  }
  search->successors.first[search->count] = (unsigned)edges;
  search->successors.at = spgc_zeroed(edges, sizeof(unsigned));
  for (size_t i = 0; i < search->count; i++) {
    LLVMValueRef terminator = LLVMGetBasicBlockTerminator(search->blocks[i]);
    for (unsigned s = 0; s < LLVMGetNumSuccessors(terminator); s++)
      search->successors.at[search->successors.first[i] + s] =
          find_number(search->numbers, search->count, LLVMGetSuccessor(terminator, s))->number;
  }
}

/* `path` holds the blocks on the search's current path, `next` the next edge of each. */
static void search_in_depth(struct search *search) {
  unsigned *path = spgc_zeroed(search->count, sizeof *path),
           *next = spgc_zeroed(search->count, sizeof *next);
  bool *met = spgc_zeroed(search->count, sizeof *met);
  size_t depth = 1;
  path[0] = 0; /* the entry is a function's first block */
  next[0] = search->successors.first[0];
  met[0] = true;
  while (depth != 0) {
    unsigned block = path[depth - 1];
    if (next[block] == search->successors.first[block + 1]) {
      search->place[block] = (int)search->reached;
      search->order[search->reached++] = block;
      depth--;
      continue;
    }
    unsigned successor = search->successors.at[next[block]++];
    if (met[successor])
      continue;
    met[successor] = true;
    next[successor] = search->successors.first[successor];
    path[depth++] = successor;
  }
  free(path);
  free(next);
  free(met);
}

static unsigned number_of(const struct search *search, unsigned block) {
  return (unsigned)(search->reached - 1) - (unsigned)search->place[block];
}

static void number_blocks(struct loops *loops, const struct search *search) {
  loops->block_count = search->reached;
  loops->blocks = spgc_zeroed(search->reached, sizeof *loops->blocks);
  loops->numbers = spgc_zeroed(search->reached, sizeof *loops->numbers);
  size_t kept = 0;
  for (size_t i = 0; i < search->count; i++) {
    unsigned block = search->numbers[i].number;
    if (search->place[block] == UNREACHED)
      continue;
    unsigned number = number_of(search, block);
    loops->numbers[kept++] = (struct block_number){search->numbers[i].block, number};
    loops->blocks[number] = (struct flow_block){search->blocks[block], 0, NO_LOOP};
  }
}

/* Lists predecessors with the numbers of `loops`. */
static void list_predecessors(struct loops *loops, const struct search *search) {
  struct flow_edges *predecessors = &loops->predecessors;
  size_t edges = search->successors.first[search->count];
  unsigned *filled = spgc_zeroed(loops->block_count, sizeof *filled);
  predecessors->first = spgc_zeroed(loops->block_count + 1, sizeof(unsigned));
  predecessors->at = spgc_zeroed(edges, sizeof(unsigned));
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < search->reached; i++) {
      unsigned block = search->order[search->reached - 1 - i];
      for (unsigned e = search->successors.first[block]; e < search->successors.first[block + 1];
           e++) {
        unsigned to = number_of(search, search->successors.at[e]);
        if (pass == 0)
          predecessors->first[to + 1]++;
        else
          predecessors->at[predecessors->first[to] + filled[to]++] = (unsigned)i;
      }
    }
    for (size_t i = 0; pass == 0 && i < loops->block_count; i++)
      predecessors->first[i + 1] += predecessors->first[i];
  }
  free(filled);
}

static unsigned common_dominator(const struct loops *loops, unsigned a, unsigned b) {
  while (a != b) {
    while (a > b)
      a = loops->blocks[a].dominator;
    while (b > a)
      b = loops->blocks[b].dominator;
  }
  return a;
}

/* Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm: two passes if all cycles are
 * loops. */
static void find_dominators(struct loops *loops) {
  const struct flow_edges *predecessors = &loops->predecessors;
  bool *known = spgc_zeroed(loops->block_count, sizeof *known);
  known[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 1; i < loops->block_count; i++) {
      int dominator = UNKNOWN;
      for (unsigned e = predecessors->first[i]; e < predecessors->first[i + 1]; e++) {
        unsigned from = predecessors->at[e];
        if (known[from])
          dominator = dominator == UNKNOWN
                          ? (int)from
                          : (int)common_dominator(loops, (unsigned)dominator, from);
      }
      changed |= !known[i] || loops->blocks[i].dominator != (unsigned)dominator;
      loops->blocks[i].dominator = (unsigned)dominator;
      known[i] = true;
    }
  }
  free(known);
}

static int outermost(const struct loops *loops, int loop) {
  while (loops->loops[loop].parent != NO_LOOP)
    loop = loops->loops[loop].parent;
  return loop;
}

/* The blocks found so far from which a loop's header is reached through its latches. */
struct body {
  unsigned *waiting;
  size_t count;
};

/* Takes the block, or the outermost of the loops found around it, into the loop. */
static void take_block(struct loops *loops, int loop, unsigned block, struct body *body) {
  const struct flow_edges *predecessors = &loops->predecessors;
  unsigned first = block;
  if (loops->blocks[block].loop == NO_LOOP) {
    loops->blocks[block].loop = loop;
  } else {
    int inner = outermost(loops, loops->blocks[block].loop);
    if (inner == loop)
      return;
    loops->loops[inner].parent = loop;
    first = loops->loops[inner].header;
  }
  for (unsigned e = predecessors->first[first]; e < predecessors->first[first + 1]; e++)
    body->waiting[body->count++] = predecessors->at[e];
}

static void add_irregular(struct loops *loops, unsigned source, unsigned target) {
  loops->irregular[loops->irregular_count] = source;
  loops->irregular_targets[loops->irregular_count++] = target;
}

/* An edge that does not lead forward in reverse postorder is retreating. */
static void sort_retreating_edges(struct loops *loops, unsigned target) {
  const struct flow_edges *predecessors = &loops->predecessors;
  for (unsigned e = predecessors->first[target]; e < predecessors->first[target + 1]; e++) {
    unsigned source = predecessors->at[e];
    if (source < target)
      continue;
    if (spgc_loops_dominates(loops, target, source))
      loops->latches[loops->latch_count++] = source;
    else
      add_irregular(loops, source, target);
  }
}

static void find_loop(struct loops *loops, unsigned header, struct body *body) {
  size_t first = loops->latch_count;
  sort_retreating_edges(loops, header);
  if (loops->latch_count == first)
    return;
  int loop = (int)loops->loop_count++;
  loops->loops[loop] =
      (struct loop){header, NO_LOOP, loops->latches + first, loops->latch_count - first};
  loops->blocks[header].loop = loop;
  memcpy(body->waiting, loops->loops[loop].latches,
         loops->loops[loop].latch_count * sizeof *body->waiting);
  body->count = loops->loops[loop].latch_count;
  while (body->count != 0)
    take_block(loops, loop, body->waiting[--body->count], body);
}

/* A header that dominates another has the lower number, so headers are visited backwards to find
 * inner loops first. */
static void find_loops(struct loops *loops) {
  size_t edges = loops->predecessors.first[loops->block_count];
  struct body body = {spgc_zeroed(2 * edges, sizeof(unsigned)), 0};
  loops->latches = spgc_zeroed(edges, sizeof *loops->latches);
  loops->irregular = spgc_zeroed(edges, sizeof *loops->irregular);
  loops->irregular_targets = spgc_zeroed(edges, sizeof *loops->irregular_targets);
  loops->loops = spgc_zeroed(loops->block_count, sizeof *loops->loops);
  for (size_t i = loops->block_count; i-- > 0;)
    find_loop(loops, (unsigned)i, &body);
  free(body.waiting);
}

void spgc_loops_find(struct loops *loops, LLVMValueRef function) {
  struct search search = {0};
  *loops = (struct loops){0};
  list_blocks(&search, function);
  list_successors(&search);
  search_in_depth(&search);
  number_blocks(loops, &search);
  list_predecessors(loops, &search);
  find_dominators(loops);
  find_loops(loops);
  free(search.numbers);
  free((void *)search.blocks);
  free(search.place);
  free(search.order);
  free(search.successors.first);
  free(search.successors.at);
}

void spgc_loops_free(struct loops *loops) {
  free(loops->blocks);
  free(loops->loops);
  free(loops->irregular);
  free(loops->irregular_targets);
  free(loops->predecessors.first);
  free(loops->predecessors.at);
  free(loops->latches);
  free(loops->numbers);
  *loops = (struct loops){0};
}

bool spgc_loops_reaches(const struct loops *loops, LLVMBasicBlockRef block) {
  return find_number(loops->numbers, loops->block_count, block) != NULL;
}

unsigned spgc_loops_number(const struct loops *loops, LLVMBasicBlockRef block) {
  const struct block_number *found = find_number(loops->numbers, loops->block_count, block);
  spgc_require(found != NULL, "a block that is never reached");
  return found->number;
}

bool spgc_loops_dominates(const struct loops *loops, unsigned block, unsigned other) {
  while (other > block)
    other = loops->blocks[other].dominator;
  return other == block;
}

bool spgc_loops_contains(const struct loops *loops, int loop, unsigned block) {
  int around = loops->blocks[block].loop;
  while (around != NO_LOOP && around < loop)
    around = loops->loops[around].parent;
  return around == loop;
}
