/* A tree-walking interpreter. Its nodes were a structure with a union of the variants. */
#include "spgc/managed.h"

#include <stdio.h>

#include "spgc/main.h"
#include "spgc/value.h"

enum kind { CONSTANT, VARIABLE, ADD, LET };

typedef struct node SPGC_MANAGED node;
typedef struct constant SPGC_MANAGED constant;
typedef struct variable SPGC_MANAGED variable;
typedef struct add SPGC_MANAGED add;
typedef struct let SPGC_MANAGED let;
typedef struct scope SPGC_MANAGED scope;

/* The members that all variants have, in each of them. */
#define NODE                                                                                       \
  const struct spgc_type *type;                                                                    \
  enum kind kind

struct node {
  NODE;
};

struct constant {
  NODE;
  spgc_value value;
};

struct variable {
  NODE;
  uint32_t depth; /* how many scopes outwards */
};

struct add {
  NODE;
  node *left, *right;
};

struct let {
  NODE;
  node *value, *body;
};

struct scope {
  const struct spgc_type *type;
  spgc_value value;
  scope *outer;
};

static const struct spgc_type types[] = {
    [CONSTANT] = SPGC_OBJECT_TYPE(struct constant, SPGC_OFFSET(struct constant, value)),
    [VARIABLE] = SPGC_DATA_TYPE(struct variable),
    [ADD] =
        SPGC_OBJECT_TYPE(struct add, SPGC_OFFSET(struct add, left), SPGC_OFFSET(struct add, right)),
    [LET] = SPGC_OBJECT_TYPE(struct let, SPGC_OFFSET(struct let, value),
                             SPGC_OFFSET(struct let, body))};
static const struct spgc_type scope_type = SPGC_OBJECT_TYPE(
    struct scope, SPGC_OFFSET(struct scope, value), SPGC_OFFSET(struct scope, outer));

static node *make(enum kind kind) {
  node *made = spgc_allocate(&types[kind]);
  made->kind = kind;
  return made;
}

static node *make_constant(spgc_value value) {
  constant *made = (constant *)make(CONSTANT);
  made->value = value;
  return (node *)made;
}

static node *make_variable(uint32_t depth) {
  variable *made = (variable *)make(VARIABLE);
  made->depth = depth;
  return (node *)made;
}

static node *make_add(node *left, node *right) {
  add *made = (add *)make(ADD);
  made->left = left;
  made->right = right;
  return (node *)made;
}

static node *make_let(node *value, node *body) {
  let *made = (let *)make(LET);
  made->value = value;
  made->body = body;
  return (node *)made;
}

static spgc_value look_up(scope *in, uint32_t depth) {
  for (; depth > 0; depth--)
    in = in->outer;
  return in->value;
}

static scope *make_scope(spgc_value value, scope *outer) {
  scope *made = spgc_allocate(&scope_type);
  made->value = value;
  made->outer = outer;
  return made;
}

static spgc_value evaluate(node *of, scope *in) {
  switch (of->kind) {
  case CONSTANT: return ((constant *)of)->value;
  case VARIABLE: return look_up(in, ((variable *)of)->depth);
  case ADD: {
    spgc_value left = evaluate(((add *)of)->left, in), right = evaluate(((add *)of)->right, in);
    return spgc_value_from_double(spgc_value_double(left) + spgc_value_double(right));
  }
  case LET: break;
  }
  spgc_value value = evaluate(((let *)of)->value, in);
  return evaluate(((let *)of)->body, make_scope(value, in));
}

/* let a = 2 in let b = a + 3 in b + (a + a) */
static void program(void *result) {
  node *three = make_constant(spgc_value_from_double(3));
  node *twice = make_add(make_variable(1), make_variable(1));
  node *inner = make_let(make_add(make_variable(0), three), make_add(make_variable(0), twice));
  node *outer = make_let(make_constant(spgc_value_from_double(2)), inner);
  *(double *)result = spgc_value_double(evaluate(outer, NULL));
}

int main(void) {
  double result = 0;
  struct spgc_error error;
  if (spgc_main(NULL, program, &result, &error) != SPGC_OK)
    fprintf(stderr, "%s\n", error.message);
  return result == 9 ? 0 : 1;
}
