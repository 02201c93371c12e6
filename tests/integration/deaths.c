#include <stdint.h>
#include <stdlib.h>

#include "spgc/finalizer.h"
#include "spgc/heap.h"

void watch(struct spgc_ref object);
int64_t deaths(void);

void watch(struct spgc_ref object) {
  struct spgc_error error;
  if (spgc_finalizer_register(object, spgc_ref_from_word(0), &error) != SPGC_OK)
    abort();
}

int64_t deaths(void) {
  struct spgc_finalizer dead;
  int64_t count = 0;
  spgc_collect(SPGC_COLLECTION_FULL);
  while (spgc_finalizer_next(&dead))
    count++;
  return count;
}
