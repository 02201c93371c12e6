#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/ErrorHandling.h>

#include "spgc/lower.h"
#include "support/output_file.h"
#include "support/printable.h"
#include "support/same_file.h"
#include "support/standard_streams.h"
#include "tools/version.h"

enum exit_status { EXIT_LOWERED = 0, EXIT_REJECTED = 1, EXIT_USAGE = 2, EXIT_FOUND = 3 };
enum product { PRODUCT_OBJECT, PRODUCT_ASSEMBLY, PRODUCT_LOWERED };
enum lint { LINT_NONE, LINT_WARNING, LINT_ERROR };
enum manage { MANAGE_AUTO, MANAGE_ALWAYS, MANAGE_NEVER };

struct arguments {
  const char *input, *output;
  enum product product;
  enum manage manage;
  bool check_only;
  enum lint lint;
  struct spgc_lower_options lowering;
};

static const char usage_text[] =
    "usage: spgc-lower IN.bc|IN.ll -o OUT [options]\n"
    "\n"
    "  -o FILE                    write this file; - is standard output\n"
    "  -O0 -O1 -O2 -O3            level of optimisation (default -O2)\n"
    "      --emit=obj|asm|lowered object code (default), assembly, or the lowered IR as text\n"
    "      --until=STAGE          with --emit=lowered: end after this stage of docs/lowering.md\n"
    "      --polls=all|loops      polls at function entries and in loops (default), or in loops "
    "only\n"
    "      --barriers=cards|none  for this collector (default), or for another one: safepoints, "
    "no\n"
    "                             barriers, nothing of this runtime\n"
    "      --load-barrier=NAME    with --barriers=none, pass each reference that is read from an "
    "object\n"
    "                             through this leaf function of your collector\n"
    "      --cpu=NAME             generate for this processor (default x86-64-v2;\n"
    "                             for AArch64 generic)\n"
    "      --target=TRIPLE        generate for this system (default this machine): x86_64\n"
    "                             or aarch64 with -linux, -linux-gnu or -linux-musl\n"
    "      --no-inline-recursion  at -O2 and above, inline no function into itself\n"
    "      --no-leaf-entries      at -O2 and above, make no frameless copies of recursive\n"
    "                             functions\n"
    "      --check-numbers        make the code test that no number is the address of an object\n"
    "      --verify-each          check the lowering's invariants after each of its stages\n"
    "      --gc=auto|always|never which functions get the gc attribute, besides those that have "
    "it: those\n"
    "                             that use references, if no function of the module has it (auto, "
    "the\n"
    "                             default); all but leaves (always); none (never)\n"
    "      --check                do everything except write, to make all checks\n"
    "      --lint[=warning|error] write nothing, and report all that would be rejected, with the "
    "rows of\n"
    "                             docs/frontend-rules.md; --lint=error reports it as errors\n"
    "      --help, --version\n"
    "\n"
    "Exit status: 0 done, 1 the input was rejected or cannot be read or written, 2 wrong usage,\n"
    "3 --lint found something.\n";

enum {
  OPTION_EMIT = 256,
  OPTION_UNTIL,
  OPTION_POLLS,
  OPTION_BARRIERS,
  OPTION_LOAD_BARRIER,
  OPTION_CPU,
  OPTION_TARGET,
  OPTION_NO_INLINE_RECURSION,
  OPTION_NO_LEAF_ENTRIES,
  OPTION_VERIFY_EACH,
  OPTION_CHECK_NUMBERS,
  OPTION_GC,
  OPTION_CHECK,
  OPTION_LINT,
  OPTION_HELP,
  OPTION_VERSION
};

static const struct option long_options[] = {
    {"emit", required_argument, NULL, OPTION_EMIT},
    {"until", required_argument, NULL, OPTION_UNTIL},
    {"polls", required_argument, NULL, OPTION_POLLS},
    {"barriers", required_argument, NULL, OPTION_BARRIERS},
    {"load-barrier", required_argument, NULL, OPTION_LOAD_BARRIER},
    {"cpu", required_argument, NULL, OPTION_CPU},
    {"target", required_argument, NULL, OPTION_TARGET},
    {"no-inline-recursion", no_argument, NULL, OPTION_NO_INLINE_RECURSION},
    {"no-leaf-entries", no_argument, NULL, OPTION_NO_LEAF_ENTRIES},
    {"verify-each", no_argument, NULL, OPTION_VERIFY_EACH},
    {"check-numbers", no_argument, NULL, OPTION_CHECK_NUMBERS},
    {"gc", required_argument, NULL, OPTION_GC},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"lint", optional_argument, NULL, OPTION_LINT},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static _Noreturn void fail_usage(const char *format, const char *detail) {
  fputs("spgc-lower: ", stderr);
  fprintf(stderr, format, detail);
  fputs("\nTry 'spgc-lower --help'.\n", stderr);
  exit(EXIT_USAGE);
}

static int choose(const char *option, const char *word, const char *const *words) {
  for (int i = 0; words[i] != NULL; i++)
    if (strcmp(words[i], word) == 0)
      return i;
  char detail[128];
  snprintf(detail, sizeof detail, "--%s=%s", option, word);
  fail_usage("unknown choice %s", detail);
}

static unsigned optimisation_level(const char *text) {
  if (text[0] < '0' || text[0] > '3' || text[1] != '\0')
    fail_usage("unknown optimisation level -O%s", text);
  return (unsigned)(text[0] - '0');
}

static void read_option(struct arguments *arguments, int option) {
  static const char *const products[] = {"obj", "asm", "lowered", NULL};
  static const char *const polls[] = {"all", "loops", NULL};
  static const char *const barriers[] = {"cards", "none", NULL};
  static const char *const lints[] = {"warning", "error", NULL};
  static const char *const managing[] = {"auto", "always", "never", NULL};
  switch (option) {
  case 'o': arguments->output = optarg; return;
  case 'O': arguments->lowering.optimisation = optimisation_level(optarg); return;
  case OPTION_EMIT: arguments->product = (enum product)choose("emit", optarg, products); return;
  case OPTION_UNTIL: arguments->lowering.last_stage = optarg; return;
  case OPTION_POLLS:
    arguments->lowering.polls = (enum spgc_polls)choose("polls", optarg, polls);
    return;
  case OPTION_BARRIERS:
    arguments->lowering.barriers = (enum spgc_barriers)choose("barriers", optarg, barriers);
    return;
  case OPTION_LOAD_BARRIER: arguments->lowering.load_barrier = optarg; return;
  case OPTION_CPU: arguments->lowering.cpu = optarg; return;
  case OPTION_TARGET: arguments->lowering.target = optarg; return;
  case OPTION_NO_INLINE_RECURSION: arguments->lowering.inline_recursion = false; return;
  case OPTION_VERIFY_EACH: arguments->lowering.verify_each = true; return;
  case OPTION_CHECK_NUMBERS: arguments->lowering.check_numbers = true; return;
  case OPTION_NO_LEAF_ENTRIES: arguments->lowering.leaf_entries = false; return;
  case OPTION_GC: arguments->manage = (enum manage)choose("gc", optarg, managing); return;
  case OPTION_CHECK: arguments->check_only = true; return;
  case OPTION_LINT:
    arguments->lint =
        choose("lint", optarg != NULL ? optarg : lints[0], lints) == 0 ? LINT_WARNING : LINT_ERROR;
    return;
  case OPTION_HELP: exit(tool_print("spgc-lower", usage_text) ? EXIT_LOWERED : EXIT_REJECTED);
  case OPTION_VERSION:
    exit(tool_print_version("spgc-lower", spgc_llvm_version()->llvm) ? EXIT_LOWERED
                                                                     : EXIT_REJECTED);
  default: fputs("Try 'spgc-lower --help'.\n", stderr); exit(EXIT_USAGE);
  }
}

static void read_arguments(struct arguments *arguments, int count, char **words) {
  spgc_lower_options_default(&arguments->lowering);
  for (int option; (option = getopt_long(count, words, "o:O:", long_options, NULL)) != -1;)
    read_option(arguments, option);
  if (optind >= count)
    fail_usage("no input file%s", "");
  if (arguments->lowering.last_stage != NULL && arguments->product != PRODUCT_LOWERED)
    fail_usage("--until=%s goes with --emit=lowered only", arguments->lowering.last_stage);
  arguments->input = words[optind++];
  if (optind < count)
    fail_usage("more than one input file: %s", words[optind]);
  if (arguments->output == NULL && !arguments->check_only && arguments->lint == LINT_NONE)
    fail_usage("no output file%s; give -o", "");
  if (arguments->output != NULL && spgc_same_file(arguments->input, arguments->output))
    fail_usage("the output file is the input file: %s", arguments->output);
}

static bool report(const char *file, const char *message) {
  fputs("spgc-lower: ", stderr);
  spgc_print_printable(stderr, file);
  fputs(": ", stderr);
  spgc_print_printable(stderr, message);
  fputs("\n", stderr);
  return false;
}

/* In the form of compilers' messages. Without a line, the place is the input. */
static bool report_error(const char *input, const char *kind, const struct spgc_error *error) {
  spgc_print_printable(stderr, error->line != 0 ? error->file : input);
  if (error->line != 0)
    fprintf(stderr, ":%u", error->line);
  if (error->column != 0)
    fprintf(stderr, ":%u", error->column);
  fprintf(stderr, ": %s: ", kind);
  spgc_print_printable(stderr, error->message + error->place_length);
  if (error->rule != 0)
    fprintf(stderr, " [R%u]", error->rule);
  fputs("\n", stderr);
  return false;
}

static const char *lowered_file; /* for the message if LLVM gives up */

/* LLVM calls it before it ends the process, and before any output file is written. */
static void report_last_words(const char *reason) {
  struct spgc_error error = {0};
  snprintf(error.message, sizeof error.message, "LLVM ends here: %s", reason);
  for (char *end; (end = strchr(error.message, '\n')) != NULL;)
    *end = ' '; /* "In function: NAME" may follow */
  report_error(lowered_file, "error", &error);
  _exit(EXIT_REJECTED);
}

/* What crashes if a signal comes now, and advice. */
static struct {
  const char *what, *advice;
} working;

/* LLVM crashes on some IR without a message. Calls only async-signal-safe functions. */
static void report_crash(int signal) {
  const char *parts[] = {lowered_file,
                         ": error: ",
                         working.what,
                         " crashed (",
                         signal == SIGSEGV  ? "SIGSEGV"
                         : signal == SIGFPE ? "SIGFPE"
                                            : "SIGILL",
                         "); ",
                         working.advice,
                         "\n"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
      break;
  _exit(EXIT_REJECTED);
}

/* A sanitizer may handle the signal. The handler needs its own stack, because deep recursion may
 * have exhausted LLVM's. */
static void report_crashes(void) {
  static const int signals[] = {SIGSEGV, SIGFPE, SIGILL};
  static char stack[1 << 16];
  sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
    struct sigaction action = {.sa_handler = report_crash, .sa_flags = SA_ONSTACK}, before;
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
      sigaction(signals[i], &action, NULL);
  }
}

static bool read_module(LLVMContextRef context, const char *path, LLVMModuleRef *module) {
  LLVMMemoryBufferRef buffer;
  struct spgc_error error;
  char *message = NULL;
  if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
    report(path, message);
    LLVMDisposeMessage(message);
    return false;
  }
  return spgc_parse_module(context, buffer, module, &error) == SPGC_OK ||
         report_error(path, "error", &error);
}

static bool any_managed(LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
       function = LLVMGetNextFunction(function))
    if (LLVMGetGC(function) != NULL)
      return true;
  return false;
}

static bool write_bytes(const char *path, const char *bytes, size_t size) {
  bool to_stdout = strcmp(path, "-") == 0;
  int error = to_stdout ? spgc_stdout_write(bytes, size) : spgc_output_file_put(path, bytes, size);
  return error == 0 || report(to_stdout ? "standard output" : path, strerror(error));
}

static bool write_lowered(LLVMModuleRef module, const char *path) {
  char *text = LLVMPrintModuleToString(module);
  bool written = write_bytes(path, text, strlen(text));
  LLVMDisposeMessage(text);
  return written;
}

static bool write_product(LLVMModuleRef module, const struct arguments *arguments) {
  if (arguments->product == PRODUCT_LOWERED)
    return arguments->check_only || write_lowered(module, arguments->output);
  LLVMCodeGenFileType kind =
      arguments->product == PRODUCT_OBJECT ? LLVMObjectFile : LLVMAssemblyFile;
  LLVMMemoryBufferRef buffer;
  struct spgc_error error;
  working.what = "LLVM's code generator";
  working.advice = "llc names the function if you give it the output of --emit=lowered";
  if (spgc_emit_module(module, &arguments->lowering, kind, &buffer, &error) != SPGC_OK)
    return report_error(arguments->input, "error", &error);
  bool written = arguments->check_only || write_bytes(arguments->output, LLVMGetBufferStart(buffer),
                                                      LLVMGetBufferSize(buffer));
  LLVMDisposeMemoryBuffer(buffer);
  return written;
}

static void manage(LLVMModuleRef module, enum manage manage) {
  if (manage == MANAGE_ALWAYS)
    spgc_manage_all_functions(module);
  else if (manage == MANAGE_AUTO && !any_managed(module))
    spgc_manage_functions(module);
}

static enum exit_status lower(LLVMModuleRef module, const struct arguments *arguments) {
  struct spgc_error error;
  if (spgc_lower_module(module, &arguments->lowering, &error) != SPGC_OK) {
    report_error(arguments->input, "error", &error);
    return EXIT_REJECTED;
  }
  return write_product(module, arguments) ? EXIT_LOWERED : EXIT_REJECTED;
}

struct findings {
  const struct arguments *arguments;
  unsigned count;
};

static void report_finding(void *context, const struct spgc_error *finding) {
  struct findings *findings = context;
  bool is_error = findings->arguments->lint == LINT_ERROR;
  report_error(findings->arguments->input, is_error ? "error" : "warning", finding);
  findings->count++;
}

static enum exit_status lint(LLVMModuleRef module, const struct arguments *arguments) {
  struct spgc_error error;
  struct findings findings = {arguments, 0};
  if (spgc_lint_module(module, &arguments->lowering, report_finding, &findings, &error) !=
      SPGC_OK) {
    report_error(arguments->input, "error", &error);
    return EXIT_REJECTED;
  }
  if (findings.count == 0)
    return EXIT_LOWERED;
  return arguments->lint == LINT_ERROR ? EXIT_REJECTED : EXIT_FOUND;
}

int main(int count, char **words) {
  struct arguments arguments = {0};
  spgc_streams_fill();
  spgc_output_file_size_limit_is_error();
  read_arguments(&arguments, count, words);
  struct spgc_error error;
  if (spgc_llvm_initialise(&error) != SPGC_OK) {
    report(arguments.input, error.message);
    return EXIT_REJECTED;
  }
  lowered_file = arguments.input;
  LLVMInstallFatalErrorHandler(report_last_words);
  working.what = "LLVM's reader";
  working.advice = "LLVM's opt may say more";
  report_crashes();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = NULL;
  enum exit_status status = EXIT_REJECTED;
  if (read_module(context, arguments.input, &module)) {
    working.what = "LLVM's optimiser, or the lowering,";
    working.advice = "-O0 does not optimise; if that crashes too, report it with the file";
    manage(module, arguments.manage);
    /* Only the text and refusals show names of new values, which take memory, and a large module
     * 1/25 longer. */
    LLVMContextSetDiscardValueNames(context, arguments.product != PRODUCT_LOWERED);
    status = arguments.lint == LINT_NONE ? lower(module, &arguments) : lint(module, &arguments);
    LLVMDisposeModule(module);
  }
  LLVMContextDispose(context);
  return (int)status;
}
