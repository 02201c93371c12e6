/* A Lox program before its compilation: the parser's tree, with names resolved and kinds inferred.
 *
 * Glossary
 *   name        an identifier, interned: two names are equal iff their addresses are
 *   variable    a local: parameter, `var`, `fun` or `class` inside a block or function, `this`, or
 *               `super`
 *   global      a name that resolves to no variable; late-bound: only the running program shows
 *               whether it is defined
 *   capture     an entry of a function's capture list, through which it reaches a variable of an
 *               enclosing function
 *   reference   one use of a name: a variable or a capture of this function, or a global
 *
 * Invariants
 *   All nodes are in the program's arena (lox_program_free).
 *   A reference of kind LOCAL names a variable of the function that contains the reference.
 *   function->captures[i].from_enclosing_capture
 *     ? it is captures[index] of function->enclosing
 *     : it is `variable`, owned by function->enclosing, and is_captured holds.
 *   index fields are dense: variables[i]->index == i, functions[i]->index == i, and so on.
 *   `line` of an expression, for errors at run time, is the line of the operation's last token.
 *
 * Writers: the inference writes kinds of variables and functions, and the functions that calls
 * of globals call. The parser writes everything else. */
#ifndef LOX_SYNTAX_AST_H
#define LOX_SYNTAX_AST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lox_arena;
struct lox_binding;
struct lox_class;
struct lox_expression;
struct lox_function;
struct lox_global;
struct lox_native_signature;
struct lox_statement;

/* Also NUL-terminated, but may hold NUL bytes. */
struct lox_string {
  const char *bytes;
  size_t length;
};

struct lox_name {
  struct lox_string text;
  struct lox_binding *binding; /* the innermost variable in scope; only while parsing */
  uint32_t hash;
  /* NULL unless some reference or top-level declaration has this name */
  struct lox_global *global;
  struct lox_name *next; /* the next in its bucket */
};

/* Known before the program runs. */
enum lox_kind {
  LOX_KIND_NONE, /* it never has a value; only during inference */
  LOX_KIND_NIL,
  LOX_KIND_BOOLEAN,
  LOX_KIND_NUMBER, /* always a double: otherwise the operation fails */
  LOX_KIND_STRING,
  LOX_KIND_LIST,
  LOX_KIND_ANY,
};

struct lox_expression_list {
  struct lox_expression **items;
  uint32_t count;
};

struct lox_variable {
  const struct lox_name *name; /* "this" and "super" for the implicit ones */
  struct lox_function *owner;
  uint32_t index;          /* its place in owner->variables */
  int line;                /* its declaration's */
  bool is_captured;        /* by a function nested in owner */
  uint32_t assigned_count; /* later assignments; 0: a closure may copy the initialised variable */
  bool is_inferred;        /* all its values are known */
  struct lox_expression_list values; /* assigned values, with the initialisation by `var` (NULL:
                                      * nil); and arguments, if it is inferred */
  enum lox_kind kind;                /* the kind of all its values, even if captured */
};

struct lox_global {
  const struct lox_name *name;
  uint32_t index;          /* its place in program->globals */
  uint32_t declared_count; /* `var`, `fun` and `class` declarations at top level */
  uint32_t assigned_count;
  uint32_t used_count;           /* other mentions, except calls found by the inference */
  struct lox_function *function; /* its last `fun` declaration's */
  bool is_single_function;       /* declared once, by `fun`, and never assigned */
  struct lox_class *class_;      /* its last `class` declaration's */
  bool is_single_class;          /* declared once, by `class`, and never assigned */
  /* the function that its calls reach, if they succeed; or NULL */
  const struct lox_function *called;
  /* the native that it always holds, or NULL */
  const struct lox_native_signature *native;
};

enum lox_reference_kind {
  LOX_REFERENCE_LOCAL,
  LOX_REFERENCE_CAPTURE,
  LOX_REFERENCE_GLOBAL,
};

struct lox_reference {
  enum lox_reference_kind kind;
  uint32_t capture;              /* CAPTURE: index in the function's captures */
  struct lox_variable *variable; /* LOCAL and CAPTURE; else NULL */
  struct lox_global *global;     /* GLOBAL; else NULL */
};

struct lox_capture {
  struct lox_variable *variable; /* however many functions further out */
  bool from_enclosing_capture;   /* else a variable of the enclosing function */
  uint32_t index;                /* its place in captures or variables there */
};

enum lox_expression_type {
  LOX_NUMBER,
  LOX_STRING,
  LOX_NIL,
  LOX_TRUE,
  LOX_FALSE,
  LOX_LIST,
  LOX_VARIABLE, /* also `this` */
  LOX_ASSIGN,
  LOX_UNARY,
  LOX_BINARY,
  LOX_AND,
  LOX_OR,
  LOX_CALL,
  LOX_GET,
  LOX_SET,
  LOX_SUPER, /* super.name */
  LOX_INDEX,
  LOX_INDEX_SET,
};

enum lox_operator {
  LOX_OP_ADD,
  LOX_OP_SUBTRACT,
  LOX_OP_MULTIPLY,
  LOX_OP_DIVIDE,
  LOX_OP_EQUAL,
  LOX_OP_NOT_EQUAL,
  LOX_OP_LESS,
  LOX_OP_LESS_EQUAL,
  LOX_OP_GREATER,
  LOX_OP_GREATER_EQUAL,
  LOX_OP_NEGATE,
  LOX_OP_NOT,
};

/* Operands are evaluated in the order of the fields. */
struct lox_expression {
  enum lox_expression_type type;
  int line;
  union {
    double number;
    struct lox_string string;
    struct lox_expression_list list;
    struct lox_reference variable;
    struct {
      struct lox_expression *value;
      struct lox_reference target;
    } assign;
    struct {
      struct lox_expression *operand;
      enum lox_operator op;
    } unary;
    struct {
      struct lox_expression *left;
      struct lox_expression *right;
      enum lox_operator op;
    } binary; /* LOX_BINARY, LOX_AND and LOX_OR; op only for the first */
    struct {
      struct lox_expression *callee; /* LOX_GET or LOX_SUPER: a method invocation */
      struct lox_expression_list arguments;
    } call;
    struct {
      struct lox_expression *object;
      const struct lox_name *name;
    } get;
    struct {
      struct lox_expression *object;
      struct lox_expression *value;
      const struct lox_name *name;
    } set;
    struct {
      struct lox_reference receiver;   /* `this` */
      struct lox_reference superclass; /* the `super` variable */
      const struct lox_name *name;
    } super;
    struct {
      struct lox_expression *object;
      struct lox_expression *index;
    } index;
    struct {
      struct lox_expression *object;
      struct lox_expression *index;
      struct lox_expression *value;
    } index_set;
  };
};

enum lox_statement_type {
  LOX_EXPRESSION,
  LOX_PRINT,
  LOX_ECHO, /* shows a value in a session */
  LOX_VAR,
  LOX_BLOCK,
  LOX_IF,
  LOX_WHILE,
  LOX_FOR,
  LOX_RETURN,
  LOX_THROW,
  LOX_TRY,
  LOX_FUNCTION,
  LOX_CLASS,
};

struct lox_statement_list {
  struct lox_statement **items;
  uint32_t count;
};

struct lox_statement {
  enum lox_statement_type type;
  int line;
  union {
    struct lox_expression *expression; /* LOX_EXPRESSION, LOX_PRINT, LOX_ECHO and LOX_THROW */
    struct {
      struct lox_reference target;        /* LOCAL or GLOBAL */
      struct lox_expression *initializer; /* NULL: nil */
    } var;
    struct lox_statement_list block;
    struct {
      struct lox_expression *condition;
      struct lox_statement *then_branch;
      struct lox_statement *else_branch;
    } if_;
    struct {
      struct lox_expression *condition;
      struct lox_statement *body;
    } while_;
    struct {
      /* LOX_VAR, LOX_EXPRESSION or NULL; its variable is one for all iterations. */
      struct lox_statement *initializer;
      struct lox_expression *condition; /* NULL: true */
      struct lox_expression *increment;
      struct lox_statement *body;
    } for_;
    struct {
      struct lox_statement *body;  /* LOX_BLOCK, as the other two */
      struct lox_reference caught; /* LOCAL: the thrown value; only with a handler */
      struct lox_statement *handler;
      struct lox_statement *finalizer; /* one of the two may be NULL */
    } try_;
    struct lox_expression *value; /* LOX_RETURN; NULL: nil, or `this` in an initializer */
    struct {
      /* LOCAL (bound before the closure is made, so it may capture itself) or GLOBAL. */
      struct lox_reference target;
      struct lox_function *function;
    } function;
    struct lox_class *class_; /* LOX_CLASS */
  };
};

enum lox_function_kind {
  LOX_SCRIPT,
  LOX_PLAIN_FUNCTION,
  LOX_METHOD,
  LOX_INITIALIZER, /* a method named init: always returns `this` */
};

struct lox_function {
  const struct lox_name *name; /* NULL for the script */
  enum lox_function_kind kind;
  uint32_t index; /* its place in program->functions */
  int line;       /* its name's */
  int end_line;   /* its closing brace's, or the source's end */
  uint32_t arity;
  struct lox_function *enclosing; /* NULL for the script */
  struct lox_class *class_;       /* NULL except for methods and initializers */
  struct lox_variable *receiver;  /* `this` of a method or initializer, or NULL */

  /* The locals of every block: the receiver, if any, the parameters, then the others. */
  struct lox_variable **variables;
  uint32_t variable_count;

  struct lox_capture *captures;
  uint32_t capture_count;

  struct lox_statement_list body;

  struct lox_expression_list returns; /* its `return` statements'; NULL: none */
  enum lox_kind result;               /* the kind of all values it returns */
  bool makes_calls;
};

struct lox_class {
  const struct lox_name *name;
  uint32_t index; /* its place in program->classes */
  int line;       /* its name's */
  int end_line;   /* its closing brace's */
  /* LOCAL or GLOBAL: the declaration defines it before the methods */
  struct lox_reference target;
  struct lox_expression *superclass;        /* a LOX_VARIABLE, or NULL */
  struct lox_variable *superclass_variable; /* `super`, while methods are made; or NULL */
  /* in source order; a later one replaces an earlier one of its name */
  struct lox_function **methods;
  uint32_t method_count;
  /* distinct names assigned as `this.name = ...` in methods, in source order */
  const struct lox_name **fields;
  uint32_t field_count;
};

struct lox_program {
  const char *path; /* for messages */
  struct lox_function *script;
  struct lox_function **functions; /* the script, then enclosing functions before nested ones */
  uint32_t function_count;
  struct lox_class **classes;
  uint32_t class_count;
  struct lox_expression_list calls;
  struct lox_global **globals; /* ordered by their first mention */
  uint32_t global_count;
  struct lox_arena *arena;
};

#endif
