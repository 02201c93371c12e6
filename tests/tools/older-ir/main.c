/* Runs and checks `sum` of list.ll or list.c. */
#include <stdio.h>

#include "spgc/heap.h"
#include "spgc/main.h"

long sum(long count);

static void program(void *problem) {
  if (sum(300) != 44850)
    *(const char **)problem = "the sum is wrong";
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  if (statistics.moved_objects == 0)
    *(const char **)problem = "nothing moved";
}

int main(void) {
  const char *problem = NULL;
  struct spgc_error error;
  if (spgc_main(NULL, program, &problem, &error) != SPGC_OK)
    problem = error.message;
  if (problem != NULL)
    puts(problem);
  return problem != NULL;
}
