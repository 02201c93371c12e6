#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontend-demo/driver/driver.h"
#include "frontend-demo/runtime/run.h"
#include "support/fatal.h"

struct lox_machine {
  struct spgc_jit *jit;
  struct lox_emit_options emit;
  unsigned optimisation;
  bool echoes;         /* shows values, in a session at a terminal */
  unsigned unit_count; /* for the units' symbols */
};

/* Invalid arguments come from the environment, other errors from the system. */
static int cannot_start(const struct spgc_error *error) {
  fprintf(stderr, "lox: cannot start: %s\n", error->message);
  return error->code == SPGC_ERROR_INVALID_ARGUMENT ? LOX_EXIT_USAGE : LOX_EXIT_SYSTEM;
}

static enum spgc_result set_heap_options(struct spgc_options *heap,
                                         const struct lox_options *options,
                                         struct spgc_error *error) {
  char text[PATH_MAX];
  spgc_options_default(heap);
  heap->trace = options->trace;
  if (!options->profile)
    return SPGC_OK;
  int length = snprintf(text, sizeof text, "profile=%s", options->profile);
  if (length >= (int)sizeof text || strchr(options->profile, ','))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "--profile=%s: the name is too long or has a comma", options->profile);
  return spgc_options_parse(heap, text, error);
}

static int start_runtime(const struct lox_options *options, bool is_interruptible) {
  struct spgc_options heap;
  struct lox_runtime_options runtime = {.heap = &heap,
                                        .argument_count = options->argument_count,
                                        .arguments = options->arguments,
                                        .is_interruptible = is_interruptible,
                                        .gc_statistics = options->has_gc_statistics};
  struct spgc_error error;
  if (set_heap_options(&heap, options, &error) != SPGC_OK ||
      lox_runtime_start(&runtime, &error) != SPGC_OK)
    return cannot_start(&error);
  return LOX_EXIT_OK;
}

static enum spgc_result define_entry_points(struct spgc_jit *jit, struct spgc_error *error) {
  for (size_t i = 0; i < lox_entry_point_count; i++) {
    const struct lox_entry_point *entry = &lox_entry_points[i];
    enum spgc_result result = spgc_jit_define(jit, entry->name, entry->address, error);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

int lox_machine_start(const struct lox_options *options, bool is_session,
                      struct lox_machine **machine) {
  bool is_at_terminal = is_session && isatty(STDIN_FILENO);
  int code = start_runtime(options, is_at_terminal);
  if (code != LOX_EXIT_OK)
    return code;
  struct lox_machine *started = calloc(1, sizeof *started);
  if (!started) {
    fputs("lox: out of memory\n", stderr);
    return lox_runtime_stop(LOX_EXIT_SYSTEM);
  }
  started->optimisation = options->optimisation;
  started->emit = options->emit;
  started->echoes = is_at_terminal && isatty(STDOUT_FILENO);
  started->emit.session = is_session ? lox_session_create() : NULL;
  unsigned listeners = (options->emit.has_debug_information ? SPGC_JIT_GDB : 0u) |
                       (options->is_profiled ? SPGC_JIT_PERF : 0u);
  struct spgc_error error;
  if (lox_jit_start(&started->jit, listeners, &error) != SPGC_OK ||
      define_entry_points(started->jit, &error) != SPGC_OK)
    return lox_machine_stop(started, cannot_start(&error));
  *machine = started;
  return LOX_EXIT_OK;
}

static int load_and_run(struct lox_machine *machine, LLVMMemoryBufferRef object,
                        const char *symbol) {
  struct spgc_error error;
  void *unit;
  if (lox_jit_load(machine->jit, object, symbol, &unit, &error) != SPGC_OK)
    return lox_internal_error("loading", &error);
  return lox_run_unit(unit);
}

int lox_machine_run(struct lox_machine *machine, const char *path, struct lox_string text) {
  char symbol[32];
  snprintf(symbol, sizeof symbol, "lox_unit_%u", machine->unit_count);
  struct lox_translation translation = {.path = path,
                                        .text = text,
                                        .echoes = machine->echoes,
                                        .emit = machine->emit,
                                        .stage = LOX_STAGE_OBJECT,
                                        .code = SPGC_CODE_JIT,
                                        .optimisation = machine->optimisation};
  translation.emit.unit_symbol = symbol;
  LLVMMemoryBufferRef object;
  int code = lox_translate(&translation, &object);
  if (code != LOX_EXIT_OK)
    return code;
  machine->unit_count++;
  return load_and_run(machine, object, symbol);
}

int lox_machine_stop(struct lox_machine *machine, int code) {
  code = lox_runtime_stop(code);
  if (machine->jit)
    spgc_jit_destroy(machine->jit);
  lox_session_free(machine->emit.session);
  free(machine);
  return code;
}
