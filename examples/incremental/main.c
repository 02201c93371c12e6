/* Runs the compiled program, and checks what it computed.
 *
 *   tree              begins a collection when a space is full
 *   tree --always     begins one at every allocation, with less work */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "incremental.h"
#include "spgc/stackwalk.h"

int64_t work(int64_t rounds, int64_t insertions); /* tree.ll */

void fail(const char *message) {
  fprintf(stderr, "tree: %s\n", message);
  exit(EXIT_FAILURE);
}

/* Without trees: each key counts once in a round. */
static int64_t expected(int64_t rounds, int64_t insertions) {
  uint64_t random = 1;
  int64_t sum = 0;
  for (int64_t round = 0; round < rounds; round++) {
    bool has[1024] = {false};
    for (int64_t i = 0; i < insertions; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      uint64_t key = random >> 33 & 1023;
      sum += has[key] ? 0 : (int64_t)key;
      has[key] = true;
    }
  }
  return sum;
}

int main(int argc, char **argv) {
  bool always = argc == 2 && strcmp(argv[1], "--always") == 0;
  int64_t rounds = always ? 3 : 200, insertions = always ? 150 : 1500;
  if (always) /* the walker also checks itself */
    spgc_walk_select(SPGC_WALK_DIFFERENTIAL);
  heap_start(__builtin_frame_address(0), always);
  int64_t sum = work(rounds, insertions);
  printf("sum: %" PRId64 "\n", sum);
  printf("collections: %" PRIu64 ", objects moved: %" PRIu64 ", by loads: %" PRIu64 "\n",
         counts.collections, counts.moved_objects, counts.moved_by_loads);
  if (sum != expected(rounds, insertions))
    fail("the sum is wrong");
  if (counts.collections == 0 || counts.moved_by_loads == 0)
    fail("no object moved at a load");
}
