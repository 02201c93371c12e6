/* Repeated measurements of one quantity: they are noisy on a busy machine, and always to the same side. */
#ifndef SPGC_BENCH_MICRO_SAMPLES_H
#define SPGC_BENCH_MICRO_SAMPLES_H

enum { SAMPLES_MOST = 128 };

struct samples {
  double values[SAMPLES_MOST];
  int count;
};

/* There may be SAMPLES_MOST. */
void samples_add(struct samples *samples, double value);

/* Of at least one. */
double samples_median(struct samples *samples);
double samples_best(struct samples *samples);

#endif
