#include "frontend-demo/runtime/run.h"

#include "frontend-demo/runtime/object.h"
#include "support/fatal.h"

/* In the order of loading and of function numbers. Written by the thread that runs Lox. */
static const struct lox_unit **units;
static uint64_t unit_count;

void lox_unit_remember(const struct lox_unit *unit) {
  units = (const struct lox_unit **)lox_memory_grow((void *)units, unit_count, sizeof *units);
  units[unit_count++] = unit;
}

static const struct lox_unit *unit_of(uint64_t function) {
  for (uint64_t i = unit_count; i-- > 0;) {
    const struct lox_unit *unit = units[i];
    if (function >= unit->first_function && function - unit->first_function < unit->function_count)
      return unit;
  }
  spgc_fatal("no loaded unit has function number %llu", (unsigned long long)function);
}

bool lox_unit_find_source(void *context, uintptr_t instruction, uint64_t statepoint_id,
                          struct spgc_source_place *place) {
  bool top_level;
  if (statepoint_id == LOX_HIDDEN_CALL_SITE)
    return false;
  place->function = lox_unit_function_name(statepoint_id >> 32, &top_level);
  place->file = unit_of(statepoint_id >> 32)->path;
  place->line = (uint32_t)statepoint_id;
  return true;
}

const char *lox_unit_function_name(uint64_t function, bool *top_level) {
  const struct lox_unit *unit = unit_of(function);
  *top_level = function == unit->first_function;
  return *top_level ? "script" : unit->function_names[function - unit->first_function];
}
