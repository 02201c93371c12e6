/* The collector's inner loops against bare ones: ratios within one run, the repetitions of both
 * interleaved.
 *
 *   spgc-micro [--json] [allocation | barrier | evacuation | marking | machine]...
 *
 * One line of JSON for each measurement, with and without the option; without a name, all are made.
 * `ns` is the median for each object or store, of the processor's time; `best_ratio` compares the
 * quickest repetitions. `machine` is about pauses, and what they would be if nothing but the
 * machine disturbed them.
 */
#include <stdio.h>
#include <string.h>

#include "bench/micro/evacuation.h"
#include "bench/micro/machine.h"
#include "bench/micro/marking.h"
#include "bench/micro/mutator.h"

static const struct {
  const char *name;
  void (*measure)(void);
} micros[] = {{"allocation", measure_allocation},
              {"barrier", measure_barrier},
              {"evacuation", measure_evacuation},
              {"marking", measure_marking},
              {"machine", measure_machine}};

enum { MICROS = sizeof micros / sizeof *micros };

static int find(const char *name) {
  for (int i = 0; i < MICROS; i++)
    if (strcmp(micros[i].name, name) == 0)
      return i;
  return -1;
}

int main(int count, char **arguments) {
  int first = count > 1 && strcmp(arguments[1], "--json") == 0 ? 2 : 1;
  for (int i = first; i < count; i++)
    if (find(arguments[i]) < 0) {
      fputs(
          "usage: spgc-micro [--json] [allocation | barrier | evacuation | marking | machine]...\n",
          stderr);
      return 2;
    }
  for (int i = first; i < count; i++)
    micros[find(arguments[i])].measure();
  for (int i = 0; first == count && i < MICROS; i++)
    micros[i].measure();
  return 0;
}
