/* The collector's inner loops against bare ones: ratios within one run, with interleaved
 * repetitions (see --help). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/micro/evacuation.h"
#include "bench/micro/jit.h"
#include "bench/micro/loops.h"
#include "bench/micro/machine.h"
#include "bench/micro/marking.h"
#include "bench/micro/mutator.h"

static const struct {
  const char *name;
  void (*measure)(void);
} micros[] = {{"allocation", measure_allocation}, {"barrier", measure_barrier},
              {"evacuation", measure_evacuation}, {"marking", measure_marking},
              {"machine", measure_machine},       {"jit", measure_jit}};

enum { MICROS = sizeof micros / sizeof *micros };

static int find(const char *name) {
  for (int i = 0; i < MICROS; i++)
    if (strcmp(micros[i].name, name) == 0)
      return i;
  return -1;
}

static int print_usage(FILE *stream, int status) {
  fputs("usage: spgc-micro [--json] [allocation | barrier | evacuation | marking | machine | jit]"
        "...\n"
        "       spgc-micro --loop allocation | barrier | survivors | dead | births COUNT\n"
        "\n"
        "A line of JSON for each measurement, with and without --json:\n"
        "  ns, bare_ns        processor time for each object or store, here and in a bare loop: "
        "medians\n"
        "  ratio, best_ratio  of the medians, and of the quickest repetitions\n"
        "  goal               what the ratio should be at most\n"
        "  machine: ms, p90_ms, p99_ms, longest_ms of turns that copy as much as a pause would;\n"
        "           over_twice of them took more than twice the median\n"
        "  jit: ns of a call among the first objects, and among 100,000\n"
        "\n"
        "With --loop, one loop for COUNT objects or stores, untimed:\n"
        "  allocation, births  objects that die at once; with SPGC_OPTIONS=born=old in old blocks\n"
        "  barrier             stores into an old array\n"
        "  survivors, dead     trees of 16383 objects, all or none survive minor collections\n",
        stream);
  return status;
}

static int run_loop(const char *name, const char *count) {
  for (int i = 0; i < micro_loop_count; i++)
    if (strcmp(micro_loops[i].name, name) == 0) {
      micro_loops[i].run(strtoull(count, NULL, 10));
      return 0;
    }
  return print_usage(stderr, 2);
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--help") == 0)
    return print_usage(stdout, 0);
  if (count == 4 && strcmp(arguments[1], "--loop") == 0)
    return run_loop(arguments[2], arguments[3]);
  int first = count > 1 && strcmp(arguments[1], "--json") == 0 ? 2 : 1;
  for (int i = first; i < count; i++)
    if (find(arguments[i]) < 0)
      return print_usage(stderr, 2);
  for (int i = first; i < count; i++)
    micros[find(arguments[i])].measure();
  for (int i = 0; first == count && i < MICROS; i++)
    micros[i].measure();
  return 0;
}
