/* Repeated measurements; a busy machine only makes them longer. */
#ifndef SPGC_BENCH_MICRO_SAMPLES_H
#define SPGC_BENCH_MICRO_SAMPLES_H

enum { SAMPLES_MOST = 2048 };

struct samples {
  double values[SAMPLES_MOST];
  int count;
};

/* At most SAMPLES_MOST values. */
void samples_add(struct samples *samples, double value);

/* There must be at least one value. */
double samples_median(struct samples *samples);
double samples_best(struct samples *samples);

/* 0.5 is the median. */
double samples_part(struct samples *samples, double part);

int samples_over(const struct samples *samples, double value);

#endif
