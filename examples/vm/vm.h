#ifndef TARN_VM_H
#define TARN_VM_H

#include "object.h"
#include "spgc/roots.h"

/* The instructions, with the operands that follow the operation. b: a byte; w: two bytes, the
 * higher one first. The stack grows to the right. */
#define OPERATIONS(X)                                                                              \
  X(CONSTANT)     /* w            -> constants[w]                     */                           \
  X(NOTHING)      /*              -> nil                              */                           \
  X(TRUTH)        /*              -> true                             */                           \
  X(FALSITY)      /*              -> false                            */                           \
  X(POP)          /* v            ->                                  */                           \
  X(LOCAL)        /* b            -> the frame's word b               */                           \
  X(SET_LOCAL)    /* b: v         ->                                  */                           \
  X(GLOBAL)       /* w            -> the global variable w            */                           \
  X(SET_GLOBAL)   /* w: v         ->                                  */                           \
  X(CAPTURED)     /* b            -> the closure's variable b         */                           \
  X(SET_CAPTURED) /* b: v         ->                                  */                           \
  X(FIELD)        /* w: object    -> its field or method constants[w] */                           \
  X(SET_FIELD)    /* w: object v  ->                                  */                           \
  X(ELEMENT)      /* list i       -> its element                      */                           \
  X(SET_ELEMENT)  /* list i v     ->                                  */                           \
  X(ADD)          /* a b          -> a + b, as numbers or strings     */                           \
  X(SUBTRACT)     /* a b          -> a - b                            */                           \
  X(MULTIPLY)                                                                                      \
  X(DIVIDE)                                                                                        \
  X(REMAINDER)                                                                                     \
  X(LESS) /* a b          -> a < b                            */                                   \
  X(LESS_OR_EQUAL)                                                                                 \
  X(GREATER)                                                                                       \
  X(GREATER_OR_EQUAL)                                                                              \
  X(EQUAL)                                                                                         \
  X(NOT_EQUAL)                                                                                     \
  X(NEGATE)        /* a            -> -a                               */                          \
  X(NOT)           /* v            -> whether it is nil or false       */                          \
  X(JUMP)          /* w: forwards by w                                 */                          \
  X(JUMP_BACK)     /* w: backwards by w                                */                          \
  X(JUMP_IF_FALSE) /* w: v         ->                                  */                          \
  X(AND)           /* w: v         -> v, and jumps; or ->              */                          \
  X(OR)                                                                                            \
  X(CALL)    /* b: callee b arguments -> result                  */                                \
  X(INVOKE)  /* w b: object b arguments -> result of method w    */                                \
  X(RETURN)  /* v: leaves the function                           */                                \
  X(CLOSURE) /* w b, b times (b b) -> a closure of constants[w]; each pair is 1 and a word         \
                of this frame, or 0 and a captured variable */                                     \
  X(CLOSE)   /* v            -> ; its cell keeps it              */                                \
  X(LIST)    /* b: b values  -> a list                           */                                \
  X(CLASS)   /* w            -> a class of this name             */                                \
  X(METHOD)  /* w: class closure -> class                        */                                \
  X(PRINT)   /* v            ->                                  */

enum operation {
#define OPERATION(name) OP_##name,
  OPERATIONS(OPERATION)
#undef OPERATION
};

enum { MOST_GLOBALS = 1024, MOST_FRAMES = 1 << 16 };

/* The callee has the same index in `callees`. */
struct frame {
  const uint8_t *ip; /* where it continues after the call it made */
  uint64_t base;     /* index of its first word on the stack */
  uint64_t end;      /* of the roots on the stack */
};

struct vm {
  strings *strings;
  string *init; /* the name of the method that initialises an instance */
  cell *open;   /* of variables on the stack, the highest one first */
  spgc_value *stack;
  uint64_t capacity;
  struct frame *frames;
  uint64_t depth; /* frames */
  closure **callees;
  spgc_value *globals;
  /* Words outside the heap that the collector reads: the stack below the end of the innermost
   * frame, each frame's closure, and the global variables. */
  struct spgc_roots stack_roots, callee_roots, global_roots;
};
extern struct vm vm;

/* Ends the program's run. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* The program's function, with its names bound to `vm.globals`. */
function *compile(const char *source);

uint32_t global_of(const char *name, uint64_t length);

void vm_start(void);
void vm_run(function *program);

#endif
