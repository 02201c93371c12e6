/* run_main N EXPECTED [registers]: runs managed_run(N) of the code it is linked with, and checks
 * the result, that the heap is whole, and that objects moved; with `registers`, that a saved
 * register was rewritten too. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/heap.h"
#include "spgc/main.h"

int64_t managed_run(int64_t n);

static int complain(const char *what, const char *detail) {
  fprintf(stderr, "%s%s%s\n", what, *detail != '\0' ? ": " : "", detail);
  return EXIT_FAILURE;
}

static int judge(int64_t result, int64_t expected, bool registers) {
  struct spgc_error error;
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  printf("%ld; %lu collections, %lu objects moved, %lu registers rewritten\n", result,
         statistics.collections, statistics.moved_objects, statistics.registers_rewritten);
  if (result != expected)
    return complain("wrong result", "");
  if (!spgc_heap_verify(&error))
    return complain("the heap is broken", error.message);
  if (statistics.moved_objects == 0)
    return complain("nothing moved", "");
  if (registers && statistics.registers_rewritten == 0)
    return complain("no register was rewritten", "");
  return EXIT_SUCCESS;
}

struct task {
  char **words;
  bool registers;
  int status;
};

static void run(void *argument) {
  struct task *task = argument;
  int64_t result = managed_run(atol(task->words[1]));
  task->status = judge(result, atol(task->words[2]), task->registers);
}

int main(int count, char **words) {
  if (count < 3)
    return complain("usage", "run_main N EXPECTED [registers]");
  struct task task = {words, count > 3 && strcmp(words[3], "registers") == 0, EXIT_FAILURE};
  struct spgc_error error;
  if (spgc_main(NULL, run, &task, &error) != SPGC_OK)
    return complain("no heap", error.message);
  return task.status;
}
