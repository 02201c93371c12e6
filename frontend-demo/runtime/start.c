#include <stdlib.h>
#include <string.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/exception.h"
#include "frontend-demo/runtime/interrupt.h"
#include "frontend-demo/runtime/native.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "spgc/code_name.h"
#include "support/standard_streams.h"

static bool statistics_wanted_by_environment(void) {
  const char *value = getenv("LOX_GC_STATS");
  return value != NULL && strcmp(value, "") != 0 && strcmp(value, "0") != 0;
}

static void out_of_memory(void *context, size_t requested_bytes) {
  lox_error_out_of_memory();
}

static void heed_interrupt(void *context) {
  lox_exception_heed_interrupt();
}

enum spgc_result lox_runtime_start(const struct lox_runtime_options *options,
                                   struct spgc_error *error) {
  struct lox_runtime_options completed = *options;
  completed.gc_statistics |= statistics_wanted_by_environment();
  enum spgc_result result = lox_run_open(&completed, error);
  if (result != SPGC_OK)
    return result;
  lox_set_out_of_memory(lox_error_out_of_memory);
  spgc_set_out_of_memory_hook(out_of_memory, NULL);
  spgc_set_source_finder(lox_unit_find_source, NULL);
  if (options->is_interruptible)
    lox_interrupts_accept(heed_interrupt);
  return SPGC_OK;
}

static void load_globals(const struct lox_unit *unit) {
  for (uint64_t i = 0; i < unit->global_count; i++) {
    const struct lox_global_variable *global = &unit->globals[i];
    if (lox_is_nothing(*global->slot))
      *global->slot = lox_native_value(global->text, global->length);
  }
}

static void name_globals(const struct lox_unit *unit) {
  if (unit->global_count == 0)
    return;
  struct spgc_code_name *names = lox_memory_resize(NULL, unit->global_count * sizeof *names);
  struct spgc_code_names *record = lox_memory_resize(NULL, sizeof *record);
  for (uint64_t i = 0; i < unit->global_count; i++) {
    const struct lox_global_variable *global = &unit->globals[i];
    names[i] = (struct spgc_code_name){(uintptr_t)global->slot, sizeof *global->slot, global->text};
  }
  *record = (struct spgc_code_names){.names = names, .count = unit->global_count};
  spgc_variable_names_add(record);
}

/* A safepoint. */
static void load_unit(const struct lox_unit *unit) {
  lox_unit_remember(unit);
  load_globals(unit);
  name_globals(unit);
  for (uint64_t i = 0; i < unit->string_count; i++)
    *unit->strings[i].slot = lox_string_make(unit->strings[i].text, unit->strings[i].length);
}

static int run_script(void *context) {
  const struct lox_unit *unit = context;
  load_unit(unit);
  struct spgc_ref (*script)(struct spgc_ref callee) =
      (struct spgc_ref(*)(struct spgc_ref))unit->script;
  script(lox_nil());
  return 0;
}

int lox_run_unit(const struct lox_unit *unit) {
  return lox_run(run_script, (void *)unit);
}

int lox_runtime_stop(int status) {
  if (status == 0 && lox_weak_has_reports())
    status = lox_run(lox_weak_report_all, NULL);
  int error = spgc_stdout_finish();
  if (error != 0 && status == 0) {
    lox_run_report_lost_output(error);
    status = LOX_EXIT_IO;
  }
  if (lox_runtime_options()->gc_statistics)
    lox_statistics_print(stderr);
  lox_interrupts_refuse();
  lox_error_object_stop();
  lox_run_close();
  return status;
}
