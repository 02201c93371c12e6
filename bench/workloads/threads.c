#include "bench/workloads/threads.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/workloads/environment.h"

struct share {
  pthread_t id;
  threads_part *part;
  unsigned thread, threads, size;
  uint64_t sum;
};

static void *do_share(void *context) {
  struct share *share = context;
  environment_attach(__builtin_frame_address(0));
  share->sum = share->part(share->thread, share->threads, share->size);
  environment_detach();
  return NULL;
}

static void *join(void *share) {
  pthread_join(((struct share *)share)->id, NULL);
  return NULL;
}

uint64_t threads_sum(threads_part *part, unsigned threads, unsigned size) {
  struct share shares[THREADS_MOST];
  for (unsigned i = 1; i < threads; i++) {
    shares[i] = (struct share){.part = part, .thread = i, .threads = threads, .size = size};
    if (pthread_create(&shares[i].id, NULL, do_share, &shares[i]) != 0) {
      fputs("spgc-workloads: cannot make a thread\n", stderr);
      exit(EXIT_FAILURE);
    }
  }
  uint64_t sum = part(0, threads, size);
  for (unsigned i = 1; i < threads; i++) {
    environment_block(join, &shares[i]);
    sum += shares[i].sum;
  }
  return sum;
}
