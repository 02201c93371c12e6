#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/workloads/clock.h"
#include "bench/workloads/environment.h"
#include "bench/workloads/stall.h"
#include "bench/workloads/workload.h"

enum exit_status { EXIT_WRONG_CHECKSUM = 1, EXIT_USAGE = 2 };

static const struct workload *const workloads[] = {
    &binary_trees, &binary_trees_threads, &gcbench, &mutation, &splay, &live, &deep, &frag};
enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static _Noreturn void print_usage(FILE *stream, int status) {
  fputs("usage: spgc-workloads WORKLOAD [SIZE...] [--stats]\n", stream);
  for (int i = 0; i < WORKLOADS; i++) {
    fprintf(stream, "  %s", workloads[i]->name);
    const struct workload_parameter *parameter = workloads[i]->parameters;
    for (int p = 0; p < WORKLOAD_PARAMETERS && parameter[p].name != NULL; p++)
      fprintf(stream, " [%s: %" PRIu64 "]", parameter[p].name, parameter[p].standard);
    fputc('\n', stream);
  }
  fputs("  --stats   a line of JSON: time, collections, pauses, memory\n", stream);
  exit(status);
}

static const struct workload *find_workload(const char *name) {
  for (int i = 0; i < WORKLOADS; i++)
    if (strcmp(workloads[i]->name, name) == 0)
      return workloads[i];
  fprintf(stderr, "spgc-workloads: unknown workload %s\n", name);
  print_usage(stderr, EXIT_USAGE);
}

static uint64_t parse_size(const struct workload_parameter *parameter, const char *text) {
  char *end;
  errno = 0;
  unsigned long long size = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || size < parameter->least ||
      size > parameter->most) {
    fprintf(stderr, "spgc-workloads: %s must be a number from %" PRIu64 " to %" PRIu64 ", not %s\n",
            parameter->name, parameter->least, parameter->most, text);
    exit(EXIT_USAGE);
  }
  return size;
}

struct command {
  const struct workload *workload;
  uint64_t arguments[WORKLOAD_PARAMETERS];
  bool statistics;
};

static void use_standard_sizes(struct command *command) {
  for (int p = 0; p < WORKLOAD_PARAMETERS; p++)
    command->arguments[p] = command->workload->parameters[p].standard;
}

static struct command parse_command(int count, char **words) {
  struct command command = {0};
  int sizes = 0;
  for (int i = 1; i < count; i++) {
    if (strcmp(words[i], "--stats") == 0) {
      command.statistics = true;
    } else if (strcmp(words[i], "--help") == 0) {
      print_usage(stdout, EXIT_SUCCESS);
    } else if (command.workload == NULL) {
      command.workload = find_workload(words[i]);
      use_standard_sizes(&command);
    } else if (sizes < WORKLOAD_PARAMETERS && command.workload->parameters[sizes].name != NULL) {
      command.arguments[sizes] = parse_size(&command.workload->parameters[sizes], words[i]);
      sizes++;
    } else {
      print_usage(stderr, EXIT_USAGE);
    }
  }
  if (command.workload == NULL)
    print_usage(stderr, EXIT_USAGE);
  return command;
}

static bool checksum_is_right(const struct command *command, uint64_t checksum) {
  for (const struct workload_known *known = command->workload->known; known->checksum != 0; known++)
    if (memcmp(known->arguments, command->arguments, sizeof known->arguments) == 0 &&
        known->checksum != checksum) {
      fprintf(stderr, "spgc-workloads: wrong checksum, expected %" PRIu64 "\n", known->checksum);
      return false;
    }
  return true;
}

static uint64_t peak_resident_bytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (uint64_t)usage.ru_maxrss * 1024;
}

static void print_statistics(const struct environment_statistics *statistics, uint64_t elapsed_ns) {
  printf("{\"seconds\": %.3f", (double)elapsed_ns / 1e9);
  printf(", \"collections\": %" PRIu64,
         statistics->minor_collections + statistics->final_marks + statistics->full_collections);
  printf(", \"minor\": %" PRIu64, statistics->minor_collections);
  printf(", \"full\": %" PRIu64, statistics->full_collections);
  printf(", \"final_marks\": %" PRIu64, statistics->final_marks);
  printf(", \"partial\": %" PRIu64, statistics->partial_markings);
  printf(", \"moved_objects\": %" PRIu64, statistics->moved_objects);
  printf(", \"longest_pause_ms\": %.3f", statistics->longest_pause_ms);
  printf(", \"longest_minor_pause_ms\": %.3f", statistics->longest_minor_pause_ms);
  printf(", \"longest_final_mark_ms\": %.3f", statistics->longest_final_mark_ms);
  printf(", \"longest_stop_ms\": %.3f", statistics->longest_stop_ms);
  printf(", \"total_pause_ms\": %.3f", statistics->total_pause_ms);
  printf(", \"longest_stall_ms\": %.3f", stall_longest_ms());
  printf(", \"peak_heap_bytes\": %" PRIu64, statistics->peak_heap_bytes);
  printf(", \"peak_bytes\": %" PRIu64 "}\n", peak_resident_bytes());
}

int main(int count, char **words) {
  struct command command = parse_command(count, words);
  struct environment_statistics statistics;
  uint64_t start = clock_ns();
  uint64_t checksum = environment_run(command.workload, command.arguments, &statistics);
  uint64_t elapsed_ns = clock_ns() - start;
  printf("checksum %" PRIu64 "\n", checksum);
  if (command.statistics)
    print_statistics(&statistics, elapsed_ns);
  return checksum_is_right(&command, checksum) ? EXIT_SUCCESS : EXIT_WRONG_CHECKSUM;
}
