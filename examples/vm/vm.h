#ifndef TARN_VM_H
#define TARN_VM_H

#include "object.h"
#include "spgc/roots.h"

/* The operations, and how many words each adds to the stack. An instruction is a word: the
 * operation in its low byte, and n above it. The stack grows to the right. Each of the five that
 * load from a place is before the one that stores there. */
#define OPERATIONS(X)                                                                              \
  X(CONSTANT, 1)      /*              -> constants[n]                                 */           \
  X(POP, -1)          /* v            ->                                              */           \
  X(LOCAL, 1)         /*              -> the frame's word n                           */           \
  X(SET_LOCAL, -1)    /* v            ->                                              */           \
  X(CAPTURED, 1)      /*              -> the closure's variable n                     */           \
  X(SET_CAPTURED, -1) /* v            ->                                              */           \
  X(GLOBAL, 1)        /*              -> the stack's word n                            */          \
  X(SET_GLOBAL, -1)   /* v            ->                                              */           \
  X(FIELD, 0)         /* object       -> its field constants[n]                       */           \
  X(SET_FIELD, -2)    /* object v     ->                                              */           \
  X(ELEMENT, -1)      /* list i       -> its element                                  */           \
  X(SET_ELEMENT, -3)  /* list i v     ->                                              */           \
  X(ADD, -1)          /* a b          -> a + b, as numbers or strings                 */           \
  X(SUBTRACT, -1)     /* a b          -> a - b                                        */           \
  X(MULTIPLY, -1)                                                                                  \
  X(DIVIDE, -1)                                                                                    \
  X(REMAINDER, -1)                                                                                 \
  X(LESS, -1)                                                                                      \
  X(LESS_OR_EQUAL, -1)                                                                             \
  X(GREATER, -1)                                                                                   \
  X(GREATER_OR_EQUAL, -1)                                                                          \
  X(EQUAL, -1)                                                                                     \
  X(NOT_EQUAL, -1)                                                                                 \
  X(NOT, 0)            /* v           -> whether it is nil or false                   */           \
  X(JUMP, 0)           /* continues n instructions later, which may be negative       */           \
  X(JUMP_IF_FALSE, -1) /* v           ->                                              */           \
  X(AND, -1)           /* v           -> v, and jumps; or ->                          */           \
  X(OR, -1)                                                                                        \
  X(CALL, 0)    /* callee n arguments -> result                                       */           \
  X(INVOKE, 0)  /* object arguments   -> result of method constants[n / 256]; n % 256              \
                   arguments                                                          */           \
  X(RETURN, -1) /* v                  leaves the function                             */           \
  X(CLOSURE, 1) /*                    -> a closure of constants[n] */                              \
  X(CLOSE, -1)  /* v                  -> ; its cell keeps it                          */           \
  X(LIST, 1)    /* n values           -> a list                                       */           \
  X(CLASS, 1)   /*                    -> a class                                      */           \
  X(METHOD, -1) /* class closure      -> class, with the method constants[n]          */           \
  X(PRINT, -1)  /* v                  ->                                              */

enum operation {
#define OPERATION(name, effect) OP_##name,
  OPERATIONS(OPERATION)
#undef OPERATION
};

enum { MOST_FRAMES = 1 << 16 };

/* The callee has the same index in `callees`. */
struct frame {
  const uint32_t *ip; /* where it continues after the call it made */
  uint64_t base;      /* index of its first word on the stack */
  uint64_t end;       /* of the roots on the stack */
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
  /* Words outside the heap that the collector reads: the stack below the end of the innermost
   * frame, and each frame's closure. */
  struct spgc_roots stack_roots, callee_roots;
};
extern struct vm vm;

/* Ends the program's run. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2), cold));

/* C's reallocarray, or the end of the run. */
void *resize(void *old, uint64_t count, uint64_t size);

/* The program's function. Its first variables have these names, and their values are on the stack.
 */
function *compile(const char *source, list *variables);

void vm_start(void);
void vm_run(function *program);

#endif
