#include <string.h>

#include "frontend-demo/emit/tree.h"
#include "frontend-demo/emit/unit.h"
#include "frontend-demo/fast/fast.h"

/* In a session, the first unit that mentions it defines it. */
static void declare_global(struct lox_unit_emitter *unit, const struct lox_global *global) {
  struct lox_global_word *home = &unit->globals[global->index];
  if (!unit->session) {
    home->word = lox_unit_root(unit, lox_unit_text(unit, "global.", global->name->text.bytes));
    home->is_of_this_unit = true;
    return;
  }
  home->word = LLVMAddGlobal(unit->module, unit->abi.value,
                             lox_unit_text(unit, "lox_global_", global->name->text.bytes));
  home->is_of_this_unit = lox_session_introduces(unit->session, global->name);
  if (home->is_of_this_unit)
    LLVMSetInitializer(home->word, LLVMConstNull(unit->abi.value));
}

static LLVMValueRef emit_strings(struct lox_unit_emitter *unit) {
  LLVMValueRef *rows =
      lox_arena_allocate(unit->arena, (unit->string_count + 1) * sizeof(LLVMValueRef));
  uint32_t count = 0;
  for (const struct lox_string_slot *string = unit->strings; string; string = string->next) {
    struct lox_record record;
    lox_record_begin(&record, &unit->abi);
    LOX_POINTER(&record, lox_string_literal, text,
                lox_record_text(unit->module, string->text.bytes, string->text.length));
    LOX_INT64(&record, lox_string_literal, length, string->text.length);
    LOX_POINTER(&record, lox_string_literal, slot, string->slot);
    rows[count++] = lox_record_end(&record, sizeof(struct lox_string_literal));
  }
  return lox_record_array(unit->module, rows, count, "strings");
}

static LLVMValueRef emit_global_row(struct lox_unit_emitter *unit,
                                    const struct lox_global *global) {
  const struct lox_string *text = &global->name->text;
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  LOX_POINTER(&record, lox_global_variable, text,
              lox_record_text(unit->module, text->bytes, text->length));
  LOX_INT64(&record, lox_global_variable, length, text->length);
  LOX_POINTER(&record, lox_global_variable, slot, unit->globals[global->index].word);
  return lox_record_end(&record, sizeof(struct lox_global_variable));
}

static LLVMValueRef emit_globals(struct lox_unit_emitter *unit, uint32_t *count) {
  const struct lox_program *program = unit->program;
  LLVMValueRef *rows =
      lox_arena_allocate(unit->arena, (program->global_count + 1) * sizeof(LLVMValueRef));
  *count = 0;
  for (uint32_t i = 0; i < program->global_count; i++) {
    if (unit->globals[i].is_of_this_unit)
      rows[(*count)++] = emit_global_row(unit, program->globals[i]);
  }
  return lox_record_array(unit->module, rows, *count, "globals");
}

static LLVMValueRef emit_function_names(struct lox_unit_emitter *unit) {
  const struct lox_program *program = unit->program;
  LLVMValueRef *names =
      lox_arena_allocate(unit->arena, program->function_count * sizeof(LLVMValueRef));
  for (uint32_t i = 0; i < program->function_count; i++) {
    const char *name = lox_function_display_name(program->functions[i]);
    names[i] = lox_record_text(unit->module, name, strlen(name));
  }
  return lox_record_array(unit->module, names, program->function_count, "functions");
}

static void emit_unit(struct lox_unit_emitter *unit, const char *symbol) {
  const struct lox_program *program = unit->program;
  uint32_t global_count;
  LLVMValueRef globals = emit_globals(unit, &global_count);
  struct lox_record record;
  lox_record_begin(&record, &unit->abi);
  LOX_POINTER(&record, lox_unit, script, unit->functions[program->script->index].code);
  LOX_POINTER(&record, lox_unit, strings, emit_strings(unit));
  LOX_INT64(&record, lox_unit, string_count, unit->string_count);
  LOX_POINTER(&record, lox_unit, globals, globals);
  LOX_INT64(&record, lox_unit, global_count, global_count);
  LOX_POINTER(&record, lox_unit, function_names, emit_function_names(unit));
  LOX_INT64(&record, lox_unit, function_count, program->function_count);
  LOX_INT64(&record, lox_unit, first_function, unit->functions[0].number);
  LOX_POINTER(&record, lox_unit, path,
              lox_record_text(unit->module, program->path, strlen(program->path)));
  LLVMValueRef structure = lox_record_end(&record, sizeof(struct lox_unit));
  LLVMSetLinkage(lox_record_constant(unit->module, structure, symbol), LLVMExternalLinkage);
}

static void declare_everything(struct lox_unit_emitter *unit) {
  const struct lox_program *program = unit->program;
  uint64_t first =
      unit->session ? lox_session_number_functions(unit->session, program->function_count) : 0;
  for (uint32_t i = 0; i < program->function_count; i++) {
    unit->functions[i].number = first + i;
    lox_declare_function(unit, program->functions[i]);
  }
  for (uint32_t i = 0; i < program->class_count; i++)
    lox_declare_class(unit, program->classes[i]);
  for (uint32_t i = 0; i < program->global_count; i++)
    declare_global(unit, program->globals[i]);
}

static void allocate_tables(struct lox_unit_emitter *unit) {
  const struct lox_program *program = unit->program;
  unit->functions =
      lox_arena_allocate(unit->arena, program->function_count * sizeof *unit->functions);
  unit->classes =
      lox_arena_allocate(unit->arena, (program->class_count + 1) * sizeof *unit->classes);
  unit->globals =
      lox_arena_allocate(unit->arena, (program->global_count + 1) * sizeof *unit->globals);
}

/* The script first: it shows which variables are defined when a closure is made. */
static void emit_code(struct lox_unit_emitter *unit) {
  const struct lox_program *program = unit->program;
  lox_emit_function(unit, program->script);
  for (uint32_t i = 0; i < program->function_count; i++)
    if (program->functions[i] != program->script)
      lox_emit_function(unit, program->functions[i]);
  for (uint32_t i = 0; i < program->class_count; i++)
    if (unit->classes[i].initializer)
      lox_emit_construct(unit, program->classes[i]);
}

LLVMModuleRef lox_emit_module(LLVMContextRef context, struct lox_program *program,
                              const struct lox_emit_options *options) {
  struct lox_unit_emitter unit = {.program = program,
                                  .session = options->session,
                                  .has_stops = options->has_stops,
                                  .arena = lox_arena_create()};
  if (options->session)
    lox_infer(program);
  else
    lox_infer_complete(program);
  unit.module = LLVMModuleCreateWithNameInContext(program->path, context);
  lox_abi_init(&unit.abi, context, &lox_language);
  unit.abi.code_values = options->tail_calls ? LOX_TAIL_CALL_VALUES : 0;
  if (options->has_debug_information)
    unit.debug = lox_debug_begin(unit.module, program->path, unit.arena);
  allocate_tables(&unit);
  declare_everything(&unit);
  emit_code(&unit);
  emit_unit(&unit, options->unit_symbol);
  lox_debug_end(unit.debug);
  lox_arena_destroy(unit.arena);
  return unit.module;
}
