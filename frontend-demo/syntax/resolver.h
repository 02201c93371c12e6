/* Invariant: name->binding is the name's innermost variable in scope; entering a scope shadows it,
 * leaving restores it. So a use is resolved in constant time. The functions between it and the
 * variable's owner get captures. */
#ifndef LOX_SYNTAX_RESOLVER_H
#define LOX_SYNTAX_RESOLVER_H

#include "frontend-demo/syntax/ast.h"

struct lox_binding {
  struct lox_variable *variable;
  struct lox_name *name;
  struct lox_binding *shadowed; /* the previous value of name->binding */
  struct lox_binding *older;    /* made before this one in the same function */
  int depth;                    /* its scope's depth, within its function */
  bool is_initialised;          /* false while its own initializer is read */
};

/* Lives in the parser's frame for the function. */
struct lox_open_function {
  struct lox_open_function *enclosing;
  struct lox_function *function;
  struct lox_binding *newest;
  int depth; /* open scopes; 0 in the script: declarations are global */
};

struct lox_resolver {
  struct lox_arena *arena;
  struct lox_program *program;
  struct lox_open_function *innermost;
};

void lox_resolver_enter(struct lox_resolver *resolver, struct lox_open_function *open,
                        struct lox_function *function);
void lox_resolver_leave(struct lox_resolver *resolver);

void lox_resolver_open_scope(struct lox_resolver *resolver);
void lox_resolver_close_scope(struct lox_resolver *resolver);

/* False if the innermost scope has a variable of this name; it is declared anyway. Unusable before
 * lox_resolver_initialise. */
bool lox_resolver_declare(struct lox_resolver *resolver, struct lox_name *name, int line,
                          struct lox_reference *reference);

/* Declares `this` or `super`, at any depth, usable at once. */
struct lox_variable *lox_resolver_declare_implicit(struct lox_resolver *resolver,
                                                   struct lox_name *name, int line);

/* Makes the variable declared last usable. Does nothing for a global. */
void lox_resolver_initialise(struct lox_resolver *resolver, const struct lox_reference *reference);

/* False if the variable's initializer is being read. */
bool lox_resolver_use(struct lox_resolver *resolver, struct lox_name *name,
                      struct lox_reference *reference);

/* Made when first mentioned. */
struct lox_global *lox_resolver_global(struct lox_resolver *resolver, struct lox_name *name);

void lox_resolver_assign(struct lox_resolver *resolver, const struct lox_reference *reference,
                         struct lox_expression *value);

void lox_resolver_finish(struct lox_resolver *resolver);

#endif
