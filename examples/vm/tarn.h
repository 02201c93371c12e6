/* Tarn, a small dynamic language on a bytecode machine: its objects and instructions.
 *
 * Each `X *` below is a reference, because the structure's typedef has SPGC_MANAGED. A value is an
 * `spgc_value`: a double, a constant, or a reference to one of these objects. */
#ifndef TARN_H
#define TARN_H

#include "spgc/managed.h"

#include "spgc/value.h"

typedef struct object SPGC_MANAGED object;
typedef struct string SPGC_MANAGED string;
typedef struct table SPGC_MANAGED table;
typedef struct cell SPGC_MANAGED cell;
typedef struct closure SPGC_MANAGED closure;
typedef struct instance SPGC_MANAGED instance;

struct object {
  const struct spgc_type *type;
};

/* Two strings with the same characters are one object. */
struct string {
  const struct spgc_type *type;
  uint64_t length, hash;
  char text[]; /* without a NUL */
};

/* An instance's fields by their names, or a class: its methods. At most three quarters of the
 * entries are used; the length is a power of two. */
struct table {
  const struct spgc_type *type;
  uint64_t length, used;
  struct entry {
    string *key; /* null: not used */
    spgc_value value;
  } at[];
};

struct instance {
  const struct spgc_type *type;
  table *class, *fields;
};

struct closure {
  const struct spgc_type *type;
  uint64_t length;
  const struct function *function;
  cell *captured[];
};

/* A variable that closures have captured. While its function runs, it is a word of the stack. */
struct cell {
  const struct spgc_type *type;
  uint64_t slot;    /* its index on the stack, or CELL_CLOSED */
  spgc_value value; /* once closed */
  cell *next;       /* another open one */
};
#define CELL_CLOSED UINT64_MAX

extern const struct spgc_type string_type;

#define NIL spgc_value_from_constant(0)
#define FALSE spgc_value_from_constant(1)
#define TRUE spgc_value_from_constant(2)
#define TRUTH(condition) ((condition) ? TRUE : FALSE)
#define IS_FALSE(value) ((value) == NIL || (value) == FALSE)
#define NUMBER(number) spgc_value_from_double(number)

SPGC_LEAF static inline bool is(spgc_value value, const struct spgc_type *type) {
  return spgc_value_is_object(value) && ((object *)value)->type == type;
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

/* Writes what `print` shows, and a NUL, to `vm.text` from this index. Returns the NUL's. */
uint64_t write_text(uint64_t at, spgc_value value);
#define TEXT(string) (write_text(0, (spgc_value)(string)), vm.text)

/* clang-format off */
/* Operations on two numbers: the words that each adds to the stack, its sign, how tightly that
 * binds, and the result. */
#define NUMERIC(X)                                                                                 \
  X(SUBTRACT, -1, "-", SUM, NUMBER(LEFT - RIGHT))                                                  \
  X(MULTIPLY, -1, "*", PRODUCT, NUMBER(LEFT * RIGHT))                                              \
  X(DIVIDE, -1, "/", PRODUCT, NUMBER(LEFT / RIGHT))                                                \
  X(REMAINDER, -1, "%", PRODUCT, NUMBER(fmod(LEFT, RIGHT)))                                        \
  X(LESS, -1, "<", ORDER, TRUTH(LEFT < RIGHT))                                                     \
  X(LESS_OR_EQUAL, -1, "<=", ORDER, TRUTH(LEFT <= RIGHT))                                          \
  X(GREATER, -1, ">", ORDER, TRUTH(LEFT > RIGHT))                                                  \
  X(GREATER_OR_EQUAL, -1, ">=", ORDER, TRUTH(LEFT >= RIGHT))

/* All operations. The stack grows to the right. Each that loads from a place is before the one that
 * stores there. */
#define OPERATIONS(X)                                                                              \
  X(POP, -1)                                 /* v                -> */                             \
  X(LOCAL, 1) X(SET_LOCAL, -1)               /*                  -> the frame's word n */          \
  X(CAPTURED, 1) X(SET_CAPTURED, -1)         /*                  -> the closure's variable n */    \
  X(GLOBAL, 1) X(SET_GLOBAL, -1)             /*                  -> the stack's word n */          \
  X(FIELD, 0, ".", SUFFIX) X(SET_FIELD, -2)  /* object           -> its field constant n */        \
  X(ADD, -1, "+", SUM) NUMERIC(X)            /* a b              -> a + b */                       \
  X(EQUAL, -1, "==", EQUALITY) X(NOT, 0)     /* a b              -> whether they are equal */      \
  X(JUMP, 0)                                 /* continues n instructions later, or before */       \
  X(JUMP_IF_FALSE, -1)                       /* v                -> */                             \
  X(AND, -1, "and", AND) X(OR, -1, "or", OR) /* v                -> v, and jumps; or -> */         \
  X(CALL, 0, "(", SUFFIX)                    /* callee arguments -> result */                      \
  X(INVOKE, 0)                               /* object arguments -> result of method constant n */ \
  X(RETURN, -1)                              /* v                leaves the function */            \
  X(CLOSURE, 1)                              /*                  -> a closure of function n */     \
  X(END_BLOCK, 0)                            /* n values         -> ; cells keep captured ones */  \
  X(CLASS, 1)                                /*                  -> a class */                     \
  X(METHOD, -1)                              /* class closure    -> class, with constant n */      \
  X(PRINT, -1)                               /* v                -> */
/* clang-format on */
#define OPERATION(name, ...) OP_##name,
enum operation { OPERATIONS(OPERATION) OPERATION_COUNT };

struct instruction {
  uint8_t operation, arguments; /* the latter of a call */
  uint16_t line;
  int32_t n;
};

enum { MOST_CONSTANTS = 512, MOST_FUNCTIONS = 256, MOST_CAPTURES = 64 };

/* Not an object, so that addresses in its arrays do not change. */
extern struct function {
  struct instruction *code;
  struct instruction captures[MOST_CAPTURES]; /* load what a closure of it captures */
  int capture_count, arity;
  int words;              /* of its frame: the callee, parameters, variables and temporaries */
  struct function *outer; /* from here on, for the compiler */
  int size, words_here, first_variable;
} functions[MOST_FUNCTIONS];

/* References with static storage duration are roots. */
extern struct vm {
  table *strings;
  string *init; /* the name of the method that initialises an instance */
  cell *open;   /* of variables on the stack */
  char *text;
  spgc_value *stack; /* constants, and frames */
} vm;

/* Compiles the program, the first function. It has the parameter `size`. */
void compile(const char *source);

/* Prints a message and leaves the program. */
_Noreturn void fail(int line, const char *message, int length, const char *detail);

/* C's reallocarray, or the end of the process. */
void *resize(void *old, uint64_t count, uint64_t size);

#endif
