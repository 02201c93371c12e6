/* spin_main MOVES: collects until that many objects moved, beside a thread in a loop of generated
 * code. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

int64_t spin(int64_t unused);
extern _Atomic int64_t finished;

static atomic_bool spinning;
static int64_t lost = 1;

static void *run(void *unused) {
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return NULL;
  spinning = true;
  lost = spin(0);
  spgc_thread_detach();
  return NULL;
}

static uint64_t moved_objects(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics.moved_objects;
}

int main(int count, char **words) {
  struct spgc_error error;
  pthread_t thread;
  if (count != 2 || spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK ||
      pthread_create(&thread, NULL, run, NULL) != 0)
    return EXIT_FAILURE;
  while (!spinning)
    spgc_collect(SPGC_COLLECTION_FULL);
  while (moved_objects() < (uint64_t)atoi(words[1])) /* however late the loop begins */
    spgc_collect(SPGC_COLLECTION_FULL);
  finished = 1;
  spgc_thread_detach();
  pthread_join(thread, NULL);
  spgc_stop();
  return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
