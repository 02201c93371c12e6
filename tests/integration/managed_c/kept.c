/* Global variables that nothing reads keep their objects exactly until they are cleared. */
#include <string.h>

#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node {
  const struct spgc_type *type;
  long value;
};

typedef struct node SPGC_MANAGED *node;

static const struct spgc_type node_type = SPGC_DATA_TYPE(struct node);

/* deaths() collects fully, and returns how many watched objects died. */
void watch(node object);
long deaths(void);

static node kept;
static struct {
  long number;
  node reference;
} kept_beside_number;
static node kept_in_array[4];
static node kept_and_loaded; /* but LLVM finds that what is loaded is not needed */

static NOINLINE node make(long value) {
  node made = spgc_allocate(&node_type);
  made->value = value;
  watch(made);
  return made;
}

static NOINLINE void keep(node object, long i) {
  kept = object;
  kept_beside_number.number = i;
  kept_beside_number.reference = make(i + 1);
  kept_in_array[i & 3] = make(i + 2);
  kept_and_loaded = make(i + 3);
}

static NOINLINE void clear(long i) {
  kept = NULL;
  node last = kept_and_loaded;
  if (last == NULL)
    last = kept;
  kept_and_loaded = NULL;
  kept_beside_number.reference = NULL;
  if (i & 1)
    memset(kept_in_array, 0, sizeof kept_in_array);
  else
    kept_in_array[i & 3] = NULL;
}

/* None dies while it is kept, and all four afterwards. */
int64_t managed_run(int64_t n) {
  int64_t seen = 0;
  for (long i = 0; i < n; i++) {
    node object = make(i);
    keep(object, i);
    seen += deaths() * 1000 + (object->value == i);
    clear(i);
    seen += deaths();
  }
  return seen;
}
