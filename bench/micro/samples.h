/* Repeated measurements of one quantity: they are noisy on a busy machine, and always to the same
 * side. */
#ifndef SPGC_BENCH_MICRO_SAMPLES_H
#define SPGC_BENCH_MICRO_SAMPLES_H

enum { SAMPLES_MOST = 2048 };

struct samples {
  double values[SAMPLES_MOST];
  int count;
};

/* There may be SAMPLES_MOST. */
void samples_add(struct samples *samples, double value);

/* Of at least one. */
double samples_median(struct samples *samples);
double samples_best(struct samples *samples);

/* The value that this part of them does not exceed: 0.5 is the median, 1 the greatest. */
double samples_part(struct samples *samples, double part);

/* How many are above the value. */
int samples_over(const struct samples *samples, double value);

#endif
