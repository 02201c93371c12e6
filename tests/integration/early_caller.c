/* A constructor (EARLY) calls managed code of a module whose constructor runs later. */
#include <stdint.h>
#include <stdio.h>

#include "spgc/heap.h"
#include "spgc/main.h"

int64_t early_sum(int64_t n);
void early_keep(int64_t value);
int64_t early_kept(void);
__attribute__((visibility("default"))) const char *early_outcome(void);

static char outcome[160] = "the constructor has not run";

const char *early_outcome(void) {
  return outcome;
}

static void run(void *unused) {
  (void)unused;
  early_keep(7);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_collect(SPGC_COLLECTION_FULL);
  int64_t kept = early_kept(), sum = early_sum(60);
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  if (kept == 7 && sum == 1830 && statistics.moved_objects != 0)
    outcome[0] = '\0';
  else
    snprintf(outcome, sizeof outcome, "kept %ld, not 7; sum %ld, not 1830; %lu objects moved",
             (long)kept, (long)sum, (unsigned long)statistics.moved_objects);
}

/* The heap is started already if the program loads the library. */
__attribute__((EARLY)) static void begin(void) {
  struct spgc_error error;
  enum spgc_result result = spgc_main(NULL, run, NULL, &error);
  if (result == SPGC_ERROR_STATE)
    run(NULL);
  else if (result != SPGC_OK)
    snprintf(outcome, sizeof outcome, "%.150s", error.message);
}
