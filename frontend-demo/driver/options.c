#include "frontend-demo/driver/driver.h"

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char lox_options_help[] =
    "usage: lox [OPTION...] [FILE [ARGUMENT...]]   compile FILE and run it; without FILE, an "
    "interactive session\n"
    "       lox build [OPTION...] FILE -o EXE      compile FILE to an executable\n"
    "\n"
    "  -O0 .. -O3            optimisation (default: -O1, which compiles quickly; build and --emit: "
    "-O2)\n"
    "      --emit=STAGE      write FILE compiled up to STAGE instead of running it:\n"
    "                        ir, lowered (with statepoints), asm or obj\n"
    "  -g, --debug           debug information for gdb, which stops at every statement (build has "
    "debug information\n"
    "                        unless --no-debug)\n"
    "      --perf            write a dump of the code for 'perf inject --jit' while the program "
    "runs\n"
    "      --profile=FILE[:BYTES]\n"
    "                        write an allocation profile for 'go tool pprof', with a sample each "
    "BYTES (512k)\n"
    "      --trace=FILE      write a trace of the collector for ui.perfetto.dev\n"
    "  -o, --output=FILE     where build and --emit write (--emit: default standard output)\n"
    "      --target=TRIPLE   build and --emit for another machine, such as aarch64-linux-gnu\n"
    "      --tail-calls      run calls in return position in constant stack\n"
    "      --gc-stats        print statistics of the collector on standard error when the program "
    "ends\n"
    "  -h, --help            this text\n"
    "      --version         the version\n"
    "\n"
    "SPGC_OPTIONS in the environment configures the collector, also of executables that build "
    "makes:\n"
    "SPGC_OPTIONS=stress=every-allocation,verify=full,move=always lox FILE\n"
    "\n"
    "Exit codes: 64 usage, 65 error in the program's text, 70 error while it ran, 71 the system "
    "refuses memory\n"
    "or a thread, 73 the output of build or --emit cannot be written, 74 FILE cannot be read or\n"
    "the program's output cannot be written.\n";

enum {
  OPTION_EMIT = 256,
  OPTION_GC_STATISTICS,
  OPTION_NO_DEBUG,
  OPTION_PERF,
  OPTION_PROFILE,
  OPTION_TAIL_CALLS,
  OPTION_TARGET,
  OPTION_TRACE,
  OPTION_VERSION
};

static const struct option long_options[] = {
    {"debug", no_argument, NULL, 'g'},
    {"emit", required_argument, NULL, OPTION_EMIT},
    {"gc-stats", no_argument, NULL, OPTION_GC_STATISTICS},
    {"help", no_argument, NULL, 'h'},
    {"no-debug", no_argument, NULL, OPTION_NO_DEBUG},
    {"output", required_argument, NULL, 'o'},
    {"perf", no_argument, NULL, OPTION_PERF},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"tail-calls", no_argument, NULL, OPTION_TAIL_CALLS},
    {"target", required_argument, NULL, OPTION_TARGET},
    {"trace", required_argument, NULL, OPTION_TRACE},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int usage_error(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fputs("lox: ", stderr);
  vfprintf(stderr, format, arguments);
  fputs("\nTry 'lox --help'.\n", stderr);
  va_end(arguments);
  return LOX_EXIT_USAGE;
}

static int set_optimisation(struct lox_options *options, const char *text) {
  if (strlen(text) != 1 || text[0] < '0' || text[0] > '3')
    return usage_error("-O%s: the levels are -O0 to -O3", text);
  options->optimisation = (unsigned)(text[0] - '0');
  return LOX_EXIT_OK;
}

static int set_stage(struct lox_options *options, const char *text) {
  static const char *const names[] = {[LOX_STAGE_IR] = "ir",
                                      [LOX_STAGE_LOWERED] = "lowered",
                                      [LOX_STAGE_ASSEMBLY] = "asm",
                                      [LOX_STAGE_OBJECT] = "obj"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(names[i], text) == 0) {
      options->stage = (enum lox_stage)i;
      options->action = LOX_ACTION_EMIT;
      return LOX_EXIT_OK;
    }
  }
  return usage_error("--emit=%s: the stages are ir, lowered, asm and obj", text);
}

/* getopt_long reports a long option with a superfluous value only by its letter. */
static const char *long_name(int option) {
  for (const struct option *known = long_options; known->name; known++)
    if (known->val == option)
      return known->name;
  return NULL;
}

/* Letters for long options are never wrong. */
static int wrong_option(const char *word) {
  const char *name = long_name(optopt);
  if (name)
    return usage_error("--%s takes no value", name);
  if (optopt != 0)
    return usage_error("unknown option -%c", optopt);
  return usage_error("unknown or ambiguous option %s", word);
}

static int apply(struct lox_options *options, int option, char **argv) {
  switch (option) {
  case 'O': return set_optimisation(options, optarg);
  case 'o': options->output = optarg; return LOX_EXIT_OK;
  case 'g':
    options->debug = LOX_DEBUG_YES;
    options->emit.has_stops = true;
    return LOX_EXIT_OK;
  case 'h': options->action = LOX_ACTION_HELP; return LOX_EXIT_OK;
  case OPTION_EMIT: return set_stage(options, optarg);
  case OPTION_GC_STATISTICS: options->has_gc_statistics = true; return LOX_EXIT_OK;
  case OPTION_NO_DEBUG: options->debug = LOX_DEBUG_NO; return LOX_EXIT_OK;
  case OPTION_PERF: options->is_profiled = true; return LOX_EXIT_OK;
  case OPTION_PROFILE: options->profile = optarg; return LOX_EXIT_OK;
  case OPTION_TAIL_CALLS: options->emit.tail_calls = true; return LOX_EXIT_OK;
  case OPTION_TARGET: options->target = optarg; return LOX_EXIT_OK;
  case OPTION_TRACE: options->trace = optarg; return LOX_EXIT_OK;
  case OPTION_VERSION: options->action = LOX_ACTION_VERSION; return LOX_EXIT_OK;
  case ':': return usage_error("%s needs a value", argv[optind - 1]);
  default: return wrong_option(argv[optind - 1]);
  }
}

/* Sets optind to the first operand. `shorts` begins with "+" if options end there. */
static int apply_all(struct lox_options *options, int argc, char **argv, const char *shorts) {
  optind = 0; /* restarts getopt_long */
  opterr = 0;
  int option;
  while ((option = getopt_long(argc, argv, shorts, long_options, NULL)) != -1) {
    int code = apply(options, option, argv);
    if (code != LOX_EXIT_OK || options->action == LOX_ACTION_HELP ||
        options->action == LOX_ACTION_VERSION)
      return code;
  }
  return LOX_EXIT_OK;
}

static int refuse_for_files(const struct lox_options *options) {
  const char *name = options->is_profiled ? "--perf"
                     : options->profile   ? "--profile"
                     : options->trace     ? "--trace"
                                          : NULL;
  if (!name || (options->action != LOX_ACTION_BUILD && options->action != LOX_ACTION_EMIT))
    return LOX_EXIT_OK;
  return usage_error("%s is for programs that run at once; an executable reads SPGC_OPTIONS", name);
}

static int parse_build(struct lox_options *options, int argc, char **argv) {
  int code = apply_all(options, argc, argv, ":O:go:h");
  if (code != LOX_EXIT_OK || options->action == LOX_ACTION_HELP ||
      options->action == LOX_ACTION_VERSION)
    return code;
  if (options->action == LOX_ACTION_EMIT)
    return usage_error("build and --emit exclude each other");
  options->action = LOX_ACTION_BUILD;
  if (argc - optind != 1)
    return usage_error("build needs one FILE");
  options->path = argv[optind];
  return options->output ? LOX_EXIT_OK : usage_error("build needs -o EXE");
}

static int parse_operands(struct lox_options *options, int argc, char **argv) {
  if (optind == argc)
    return options->action == LOX_ACTION_EMIT ? usage_error("--emit needs a FILE") : LOX_EXIT_OK;
  options->path = argv[optind];
  options->argument_count = argc - optind - 1;
  options->arguments = argv + optind + 1;
  if (options->action == LOX_ACTION_EMIT)
    return options->argument_count == 0 ? LOX_EXIT_OK : usage_error("--emit takes one FILE");
  options->action = LOX_ACTION_RUN;
  return LOX_EXIT_OK;
}

static int parse(struct lox_options *options, int argc, char **argv) {
  int code = apply_all(options, argc, argv, "+:O:go:h");
  if (code == LOX_EXIT_OK &&
      options->action == LOX_ACTION_EMIT) /* options may follow the file, because no program runs */
    code = apply_all(options, argc, argv, ":O:go:h");
  if (code != LOX_EXIT_OK || options->action == LOX_ACTION_HELP ||
      options->action == LOX_ACTION_VERSION)
    return code;
  if (optind < argc && strcmp(argv[optind], "build") == 0)
    return parse_build(options, argc - optind, argv + optind);
  code = parse_operands(options, argc, argv);
  const char *misplaced = options->output ? "-o" : options->target ? "--target" : NULL;
  if (code == LOX_EXIT_OK && misplaced && options->action != LOX_ACTION_EMIT)
    return usage_error("%s is for build and --emit", misplaced);
  return code;
}

/* An executable's debug information costs nothing until used. */
static bool has_debug_information(const struct lox_options *options) {
  if (options->debug != LOX_DEBUG_BY_ACTION)
    return options->debug == LOX_DEBUG_YES;
  return options->action == LOX_ACTION_BUILD || options->is_profiled;
}

int lox_options_parse(struct lox_options *options, int argc, char **argv) {
  *options = (struct lox_options){.action = LOX_ACTION_INTERACT, .optimisation = UINT_MAX};
  int code = parse(options, argc, argv);
  if (code == LOX_EXIT_OK)
    code = refuse_for_files(options);
  bool is_kept = options->action == LOX_ACTION_BUILD || options->action == LOX_ACTION_EMIT;
  if (options->optimisation == UINT_MAX) /* users wait for code that runs at once */
    options->optimisation = is_kept ? 2 : 1;
  options->emit.has_debug_information = has_debug_information(options);
  options->emit.has_stops &= options->debug == LOX_DEBUG_YES;
  return code;
}
