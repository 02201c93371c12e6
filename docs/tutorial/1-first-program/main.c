/* Starts the collector, and runs the program of first.ll. */
#include <stdint.h>
#include <stdio.h>

#include "spgc/heap.h"
#include "spgc/ref.h"
#include "spgc/thread.h"

void first(void); /* first.ll */

struct point {
  const void *header;
  int64_t x, y;
};

void show(struct spgc_ref ref) {
  static uintptr_t address_before;
  const struct point *point = spgc_ref_memory(ref);
  const char *moved = address_before && address_before != ref.word ? ", at another address" : "";
  printf("(%d, %d)%s\n", (int)point->x, (int)point->y, moved);
  address_before = ref.word;
}

void collect(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

int main(void) {
  struct spgc_error error;
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  first();
  spgc_thread_detach();
  spgc_stop();
}
