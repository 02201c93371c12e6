#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/printable.h"
#include "support/standard_streams.h"
#include "tools/heap/command.h"
#include "tools/version.h"

static const struct command {
  const char *name;
  command_run *run;
} commands[] = {
    {"why", command_why},       {"top", command_top},         {"diff", command_diff},
    {"report", command_report}, {"profile", command_profile},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static const char usage_text[] =
    "usage: spgc-heap why FILE TYPE|@ID [--paths=N]\n"
    "       spgc-heap top FILE [--by=self|retained] [--objects] [--count=N]\n"
    "       spgc-heap diff BEFORE AFTER [--count=N]\n"
    "       spgc-heap report TRACE|LOG [--snapshot=FILE] -o PAGE\n"
    "       spgc-heap profile FILE [--per=line|function|type] [--live] [--hide=REGEX] [--count=N]\n"
    "\n"
    "Reads heap snapshots (.heapsnapshot) of this collector, of V8, Node.js and Chrome, and\n"
    "allocation profiles.\n"
    "\n"
    "why   shows why objects are alive: the shortest paths from roots to all objects of a type, "
    "or\n"
    "      to the object with an ID. Paths that differ only in repetitions and indices are one.\n"
    "      --paths=N          show N paths (default 3), those to most objects first\n"
    "top   lists the types that take the most memory\n"
    "      --by=self|retained by the size of the objects themselves, or by the bytes that would\n"
    "                         be freed without them (default)\n"
    "      --objects          list single objects\n"
    "      -n, --count=N      list N of them (default 20)\n"
    "diff  lists the types that have grown or shrunk, by bytes\n"
    "      -n, --count=N      list N of them (default 20)\n"
    "report  writes a page (HTML) that shows the pauses and the heap of a run, from its trace\n"
    "      (trace=FILE) or its log (log=gc:FILE)\n"
    "      --snapshot=FILE    and the types that take the most memory in a heap snapshot\n"
    "      -o, --output=PAGE  the file to write\n"
    "profile  lists the lines that allocate most, from an allocation profile (profile=FILE), and\n"
    "      how much of their memory is live. A line counts its own allocations and those of the\n"
    "      functions that are passed over: the collector's (spgc_...)\n"
    "      --per=line|function|type\n"
    "                         list lines (default), functions, or types of objects\n"
    "      --live             order by live bytes\n"
    "      --hide=REGEX       pass over functions whose names match, such as a runtime's\n"
    "      -n, --count=N      list N of them (default 20)\n"
    "\n"
    "      --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 a file is malformed or cannot be read, or has no such object, 2 wrong\n"
    "usage.\n";

_Noreturn void fail_option(void) {
  fputs("Try 'spgc-heap --help'.\n", stderr);
  exit(EXIT_USAGE);
}

_Noreturn void fail_usage(const char *format, const char *detail) {
  fputs("spgc-heap: ", stderr);
  fprintf(stderr, format, detail);
  fputc('\n', stderr);
  fail_option();
}

enum exit_status report(const char *path, const char *format, ...) {
  va_list arguments;
  fputs("spgc-heap: ", stderr);
  spgc_print_printable(stderr, path);
  fputs(": ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return EXIT_REFUSED;
}

uint32_t option_count(const char *option, const char *word) {
  char *end;
  errno = 0;
  unsigned long count = strtoul(word, &end, 10);
  if (word[0] < '0' || word[0] > '9' || *end != '\0' || errno != 0 || count == 0 ||
      count > UINT32_MAX) {
    fprintf(stderr, "spgc-heap: %s needs a number of at least 1\n", option);
    fail_option();
  }
  return (uint32_t)count;
}

int main(int count, char **words) {
  spgc_streams_fill();
  if (count < 2)
    fail_usage("no command%s", "");
  if (strcmp(words[1], "--help") == 0)
    return tool_print("spgc-heap", usage_text) ? EXIT_DONE : EXIT_REFUSED;
  if (strcmp(words[1], "--version") == 0)
    return tool_print_version("spgc-heap", NULL) ? EXIT_DONE : EXIT_REFUSED;
  const struct command *command = commands;
  while (command < commands + COMMAND_COUNT && strcmp(command->name, words[1]) != 0)
    command++;
  if (command == commands + COMMAND_COUNT)
    fail_usage("unknown command %s", words[1]);
  enum exit_status status = command->run(count - 1, words + 1);
  int error = spgc_stdout_finish();
  if (error != 0)
    status = report("standard output", "%s", strerror(error));
  return (int)status;
}
