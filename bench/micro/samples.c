#include "bench/micro/samples.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void sort(struct samples *samples) {
  qsort(samples->values, (size_t)samples->count, sizeof *samples->values, compare);
}

void samples_add(struct samples *samples, double value) {
  if (samples->count == SAMPLES_MOST)
    abort();
  samples->values[samples->count++] = value;
}

double samples_median(struct samples *samples) {
  sort(samples);
  return samples->values[samples->count / 2];
}

double samples_best(struct samples *samples) {
  sort(samples);
  return samples->values[0];
}
