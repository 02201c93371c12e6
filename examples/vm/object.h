/* The objects of Tarn, a small dynamic language, and operations on them outside the dispatch loop.
 *
 * Each `X *` below is a reference, because the structure's typedef has SPGC_MANAGED. A value is an
 * `spgc_value`: a double, a constant, or a reference to one of these objects. */
#ifndef TARN_OBJECT_H
#define TARN_OBJECT_H

#include "spgc/managed.h"

#include "spgc/value.h"

typedef struct object SPGC_MANAGED object;
typedef struct string SPGC_MANAGED string;
typedef struct strings SPGC_MANAGED strings;
typedef struct values SPGC_MANAGED values;
typedef struct list SPGC_MANAGED list;
typedef struct table SPGC_MANAGED table;
typedef struct function SPGC_MANAGED function;
typedef struct cell SPGC_MANAGED cell;
typedef struct closure SPGC_MANAGED closure;
typedef struct class SPGC_MANAGED class;
typedef struct instance SPGC_MANAGED instance;
typedef struct native SPGC_MANAGED native;

struct object {
  const struct spgc_type *type;
};

/* Without a NUL. Two strings with the same characters are one object. */
struct string {
  const struct spgc_type *type;
  uint64_t length;
  uint64_t hash;
  char text[];
};

/* An array that does not grow. */
struct values {
  const struct spgc_type *type;
  uint64_t length;
  spgc_value at[];
};

struct list {
  const struct spgc_type *type;
  uint64_t count;
  values *items; /* the first `count` are used */
};

struct entry {
  string *key; /* null: not used */
  spgc_value value;
};

/* Fields or methods by name. At most three quarters of the entries are used; the length is a power
 * of two. */
struct table {
  const struct spgc_type *type;
  uint64_t length;
  uint64_t count;
  struct entry at[];
};

struct function {
  const struct spgc_type *type;
  values *constants;
  const uint32_t *code; /* from malloc, never freed: addresses in it do not change */
  uint32_t arity;
  uint32_t depth; /* words of its frame: itself, parameters, variables and temporaries */
  uint32_t captures;
};

/* A variable that closures have captured. While its function runs, it is a word of the stack. */
struct cell {
  const struct spgc_type *type;
  uint64_t slot;    /* its index on the stack, or CELL_CLOSED */
  spgc_value value; /* once closed */
  cell *next;       /* the open one below it on the stack */
};
#define CELL_CLOSED UINT64_MAX

struct closure {
  const struct spgc_type *type;
  uint64_t length;
  function *function;
  cell *captured[];
};

struct class {
  const struct spgc_type *type;
  table *methods;
};

struct instance {
  const struct spgc_type *type;
  class *class;
  table *fields;
};

struct native {
  const struct spgc_type *type;
  spgc_value (*call)(const spgc_value *arguments);
  uint64_t arity;
};

extern const struct spgc_type string_type, list_type, closure_type, class_type, instance_type,
    native_type;

#define NIL spgc_value_from_constant(0)
#define FALSE spgc_value_from_constant(1)
#define TRUE spgc_value_from_constant(2)

SPGC_LEAF static inline bool is(spgc_value value, const struct spgc_type *type) {
  return spgc_value_is_object(value) && ((object *)value)->type == type;
}

SPGC_LEAF static inline bool is_true(spgc_value value) {
  return value != NIL && value != FALSE;
}

/* The index of the key's entry, or of the free one where it would be. */
SPGC_LEAF static inline uint64_t table_find(table *in, string *key) {
  uint64_t mask = in->length - 1, i = key->hash & mask;
  while (in->at[i].key != key && in->at[i].key)
    i = (i + 1) & mask;
  return i;
}

/* Sets the key's value. Gives the table, or a larger one that replaces it. */
table *table_set(table *in, string *key, spgc_value value);

/* The only string with these characters, which are not in an object. */
string *intern(const char *text, uint64_t length);

/* The characters of both (the second may be null) and a NUL, in C's memory until the next call. */
const char *text_in_c(string *first, string *second);

list *list_make(uint64_t count);
void list_push(list *to, spgc_value value);
closure *closure_make(function *of);
class *class_make(void);
instance *instance_make(class *of);

/* Writes what `print` shows of a value that is not a string. Returns its length. */
uint64_t text_of(spgc_value value, char *text, uint64_t bytes);

void strings_start(void);

#endif
