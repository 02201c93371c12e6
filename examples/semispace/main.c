/* Runs the compiled program, and checks what it computed.
 *
 *   trees              collects when a space is full
 *   trees --always     collects at every allocation, with less work
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "semispace.h"
#include "spgc/stackwalk.h"

int64_t work(int64_t rounds, int64_t depth); /* trees.ll */

void fail(const char *message) {
  fprintf(stderr, "trees: %s\n", message);
  exit(EXIT_FAILURE);
}

/* A tree of this depth has the numbers from 1 to 2^depth - 1, and a forest has 8 trees. */
static int64_t expected(int64_t rounds, int64_t depth) {
  int64_t nodes = ((int64_t)1 << depth) - 1;
  return (rounds + 1) * 8 * nodes * (nodes + 1) / 2;
}

int main(int argc, char **argv) {
  bool always = argc == 2 && strcmp(argv[1], "--always") == 0;
  int64_t rounds = always ? 10 : 1000, depth = always ? 5 : 8;
  if (always) /* the walker also checks itself */
    spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
  heap_start(__builtin_frame_address(0), always);
  int64_t sum = work(rounds, depth);
  printf("sum: %" PRId64 "\n", sum);
  printf("collections: %" PRIu64 ", objects moved: %" PRIu64 "\n", counts.collections,
         counts.moved_objects);
  if (sum != expected(rounds, depth))
    fail("the sum is wrong");
  if (counts.collections == 0 || counts.moved_objects == 0)
    fail("no object moved");
}
