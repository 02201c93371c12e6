#include "frontend-demo/syntax/resolver.h"

#include <assert.h>

#include "frontend-demo/syntax/arena.h"

void lox_resolver_enter(struct lox_resolver *resolver, struct lox_open_function *open,
                        struct lox_function *function) {
  *open = (struct lox_open_function){.enclosing = resolver->innermost, .function = function};
  function->enclosing = open->enclosing ? open->enclosing->function : NULL;
  resolver->innermost = open;
}

static void unbind_newest(struct lox_open_function *open) {
  struct lox_binding *binding = open->newest;
  assert(binding->name->binding == binding); /* because scopes nest */
  binding->name->binding = binding->shadowed;
  open->newest = binding->older;
}

void lox_resolver_leave(struct lox_resolver *resolver) {
  struct lox_open_function *open = resolver->innermost;
  while (open->newest)
    unbind_newest(open);
  resolver->innermost = open->enclosing;
}

void lox_resolver_open_scope(struct lox_resolver *resolver) {
  resolver->innermost->depth++;
}

void lox_resolver_close_scope(struct lox_resolver *resolver) {
  struct lox_open_function *open = resolver->innermost;
  while (open->newest && open->newest->depth == open->depth)
    unbind_newest(open);
  open->depth--;
}

static struct lox_binding *bind(struct lox_resolver *resolver, struct lox_name *name, int line) {
  struct lox_open_function *open = resolver->innermost;
  struct lox_function *function = open->function;

  struct lox_variable *variable = lox_arena_allocate(resolver->arena, sizeof(struct lox_variable));
  variable->name = name;
  variable->owner = function;
  variable->line = line;
  variable->kind = LOX_KIND_ANY;
  variable->index = function->variable_count;
  LOX_APPEND(resolver->arena, function->variables, function->variable_count, variable);

  struct lox_binding *binding = lox_arena_allocate(resolver->arena, sizeof(struct lox_binding));
  binding->variable = variable;
  binding->name = name;
  binding->shadowed = name->binding;
  binding->older = open->newest;
  binding->depth = open->depth;
  name->binding = binding;
  open->newest = binding;
  return binding;
}

bool lox_resolver_declare(struct lox_resolver *resolver, struct lox_name *name, int line,
                          struct lox_reference *reference) {
  struct lox_open_function *open = resolver->innermost;
  if (open->depth == 0) {
    struct lox_global *global = lox_resolver_global(resolver, name);
    global->declared_count++;
    *reference = (struct lox_reference){.kind = LOX_REFERENCE_GLOBAL, .global = global};
    return true;
  }
  const struct lox_binding *before = name->binding;
  bool is_new =
      !(before && before->variable->owner == open->function && before->depth == open->depth);
  *reference = (struct lox_reference){.kind = LOX_REFERENCE_LOCAL,
                                      .variable = bind(resolver, name, line)->variable};
  return is_new;
}

struct lox_variable *lox_resolver_declare_implicit(struct lox_resolver *resolver,
                                                   struct lox_name *name, int line) {
  struct lox_binding *binding = bind(resolver, name, line);
  binding->is_initialised = true;
  return binding->variable;
}

void lox_resolver_initialise(struct lox_resolver *resolver, const struct lox_reference *reference) {
  if (reference->kind == LOX_REFERENCE_GLOBAL)
    return;
  struct lox_binding *newest = resolver->innermost->newest;
  assert(newest && newest->variable == reference->variable);
  newest->is_initialised = true;
}

/* `open` is a function inside the variable's owner. */
static uint32_t capture_index(struct lox_resolver *resolver, struct lox_open_function *open,
                              struct lox_variable *variable) {
  struct lox_function *function = open->function;
  for (uint32_t i = 0; i < function->capture_count; i++) {
    if (function->captures[i].variable == variable)
      return i;
  }
  struct lox_capture capture = {.variable = variable, .index = variable->index};
  if (open->enclosing->function == variable->owner) {
    variable->is_captured = true;
  } else {
    capture.from_enclosing_capture = true;
    capture.index = capture_index(resolver, open->enclosing, variable);
  }
  LOX_APPEND(resolver->arena, function->captures, function->capture_count, capture);
  return function->capture_count - 1;
}

bool lox_resolver_use(struct lox_resolver *resolver, struct lox_name *name,
                      struct lox_reference *reference) {
  struct lox_binding *binding = name->binding;
  if (!binding) {
    *reference = (struct lox_reference){.kind = LOX_REFERENCE_GLOBAL,
                                        .global = lox_resolver_global(resolver, name)};
    reference->global->used_count++;
    return true;
  }
  struct lox_variable *variable = binding->variable;
  *reference = (struct lox_reference){.kind = LOX_REFERENCE_LOCAL, .variable = variable};
  if (variable->owner != resolver->innermost->function) {
    reference->kind = LOX_REFERENCE_CAPTURE;
    reference->capture = capture_index(resolver, resolver->innermost, variable);
  }
  return binding->is_initialised;
}

struct lox_global *lox_resolver_global(struct lox_resolver *resolver, struct lox_name *name) {
  if (name->global)
    return name->global;
  struct lox_program *program = resolver->program;
  struct lox_global *global = lox_arena_allocate(resolver->arena, sizeof(struct lox_global));
  global->name = name;
  global->index = program->global_count;
  LOX_APPEND(resolver->arena, program->globals, program->global_count, global);
  name->global = global;
  return global;
}

void lox_resolver_assign(struct lox_resolver *resolver, const struct lox_reference *reference,
                         struct lox_expression *value) {
  struct lox_variable *variable = reference->variable;
  if (variable) {
    variable->assigned_count++;
    LOX_APPEND(resolver->arena, variable->values.items, variable->values.count, value);
  } else {
    reference->global->assigned_count++;
  }
}

void lox_resolver_finish(struct lox_resolver *resolver) {
  struct lox_program *program = resolver->program;
  for (uint32_t i = 0; i < program->global_count; i++) {
    struct lox_global *global = program->globals[i];
    bool is_constant = global->declared_count == 1 && global->assigned_count == 0;
    global->is_single_function = is_constant && global->function;
    global->is_single_class = is_constant && global->class_;
  }
}
