#include "frontend-demo/emit/unit.h"

void lox_begin_function(struct lox_emitter *emitter, struct lox_unit_emitter *unit,
                        const struct lox_function *function, LLVMValueRef code) {
  const struct lox_function_code *codes = &unit->functions[function->index];
  lox_emitter_begin(emitter, &unit->abi, unit->module, code);
  emitter->source = lox_arena_allocate(unit->arena, sizeof *emitter->source);
  *emitter->source = (struct lox_source){.unit = unit, .function = function, .homes = codes->homes};
  emitter->number = codes->number;
  bool is_script = function == unit->program->script;
  if (unit->debug && (is_script || code == codes->code))
    emitter->scope = lox_debug_function(unit->debug, function, code);
  lox_at_line(emitter, function->line);
}

/* The script runs as it is emitted. A function runs only after its closure was made. */
uint32_t lox_definitions_before(const struct lox_emitter *emitter) {
  const struct lox_unit_emitter *unit = emitter->source->unit;
  return emitter->source->function == unit->program->script
             ? unit->definition_count
             : unit->functions[emitter->source->function->index].definitions_before;
}

bool lox_is_defined(const struct lox_emitter *emitter, const struct lox_global *global) {
  uint32_t defined_at = emitter->source->unit->globals[global->index].defined_at;
  return defined_at != 0 && defined_at <= lox_definitions_before(emitter);
}
