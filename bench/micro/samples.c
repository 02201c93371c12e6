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
  return samples_part(samples, 0.5);
}

double samples_best(struct samples *samples) {
  sort(samples);
  return samples->values[0];
}

double samples_part(struct samples *samples, double part) {
  sort(samples);
  int index = (int)(part * samples->count);
  return samples->values[index < samples->count ? index : samples->count - 1];
}

int samples_over(const struct samples *samples, double value) {
  int over = 0;
  for (int i = 0; i < samples->count; i++)
    over += samples->values[i] > value;
  return over;
}
