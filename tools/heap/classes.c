#include "tools/heap/classes.h"

#include <stdlib.h>

#include "tools/heap/memory.h"

void classes_count(struct classes *classes, const struct snapshot *snapshot) {
  uint32_t strings = snapshot->strings.count;
  struct class_sum *all = memory_zeroed(strings, sizeof *all);
  *classes = (struct classes){.all = all};
  for (uint32_t node = 0; node < snapshot->node_count; node++) {
    if (!node_is_object(snapshot, node))
      continue;
    struct class_sum *sum = &all[node_class(snapshot, node)];
    sum->objects++;
    sum->self += snapshot->sizes[node];
    classes->objects++;
    classes->bytes += snapshot->sizes[node];
  }
  for (uint32_t class = 0; class < strings; class ++) {
    if (all[class].objects == 0)
      continue;
    all[classes->count] = all[class];
    all[classes->count++].class = class;
  }
}

void classes_sum_retained(struct classes *classes, const struct snapshot *snapshot,
                          const struct dominators *dominators) {
  uint64_t *sums = memory_zeroed(snapshot->strings.count, sizeof *sums);
  dominators_sum_classes(dominators, snapshot, sums);
  for (uint32_t i = 0; i < classes->count; i++)
    classes->all[i].retained = sums[classes->all[i].class];
  free(sums);
}

void classes_free(struct classes *classes) {
  free(classes->all);
}
