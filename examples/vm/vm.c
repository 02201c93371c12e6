#include "vm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect.h"

struct vm vm;

enum { FIRST_CAPACITY = 256, CHUNK = 4 };

void vm_start(void) {
  strings_start();
  vm.init = intern("init", 4);
  vm.capacity = FIRST_CAPACITY;
  vm.stack = malloc((FIRST_CAPACITY + CHUNK) * sizeof *vm.stack);
  vm.frames = malloc(MOST_FRAMES * sizeof *vm.frames);
  vm.callees = malloc(MOST_FRAMES * sizeof *vm.callees);
  vm.globals = malloc(MOST_GLOBALS * sizeof *vm.globals);
  if (!vm.stack || !vm.frames || !vm.callees || !vm.globals)
    fail("out of memory");
  vm.stack_roots = (struct spgc_roots){.first = (struct spgc_ref *)vm.stack, .name = "stack"};
  vm.callee_roots = (struct spgc_roots){.first = (struct spgc_ref *)vm.callees, .name = "callees"};
  vm.global_roots = (struct spgc_roots){.first = (struct spgc_ref *)vm.globals, .name = "globals"};
  spgc_roots_add(&vm.stack_roots);
  spgc_roots_add(&vm.callee_roots);
  spgc_roots_add(&vm.global_roots);
}

static void grow(uint64_t words) {
  while (vm.capacity < words)
    vm.capacity *= 2;
  vm.stack = realloc(vm.stack, (vm.capacity + CHUNK) * sizeof *vm.stack);
  if (!vm.stack)
    fail("out of memory");
  vm.stack_roots.first = (struct spgc_ref *)vm.stack;
}

/* Nulls words left over from calls that have returned, and up to CHUNK - 1 after the last. Volatile
 * stores do not become a slower call of memset. */
SPGC_LEAF static inline void clear(spgc_value *from, spgc_value *to) {
  for (; from < to; from += CHUNK)
    for (int i = 0; i < CHUNK; i++)
      ((spgc_value volatile *)from)[i] = NULL;
}

/* Begins a call whose callee and arguments are on the stack from `base` to `top`. Its frame ends
 * with its caller's or after it, so the caller's words stay roots, and only words after them are
 * cleared. */
static inline void enter(closure *callee, uint64_t base, uint64_t top) {
  function *of = callee->function;
  uint64_t from = vm.stack_roots.count, end = base + of->depth;
  if (end < from)
    end = from;
  if (top - base != of->arity + 1)
    fail("a call has %d arguments, and the function %d parameters", (int)(top - base) - 1,
         (int)of->arity);
  if (end > vm.capacity)
    grow(end);
  if (vm.depth == MOST_FRAMES)
    fail("the calls are too deep");
  clear(vm.stack + from, vm.stack + end);
  uint64_t depth = vm.depth;
  vm.callees[depth] = callee;
  vm.frames[depth] = (struct frame){.ip = of->code, .base = base, .end = end};
  vm.depth = vm.callee_roots.count = depth + 1;
  vm.stack_roots.count = end;
}

static inline void leave(void) {
  uint64_t depth = vm.depth - 1;
  vm.depth = vm.callee_roots.count = depth;
  vm.stack_roots.count = depth == 0 ? 0 : vm.frames[depth - 1].end;
}

/* ---- Captured variables ---- */

static cell *capture(uint64_t slot) {
  cell *above = NULL, *at = vm.open;
  for (; at && at->slot > slot; at = at->next)
    above = at;
  if (at && at->slot == slot)
    return at;
  cell *made = cell_make(slot, at);
  if (above)
    above->next = made;
  else
    vm.open = made;
  return made;
}

/* Moves the values of variables from this word upwards into their cells. */
static void close_cells(uint64_t from) {
  while (vm.open && vm.open->slot >= from) {
    cell *closed = vm.open;
    closed->value = vm.stack[closed->slot];
    closed->slot = CELL_CLOSED;
    vm.open = closed->next;
    closed->next = NULL;
  }
}

static const uint8_t *close_over(closure *made, closure *outer, const uint8_t *pairs,
                                 uint64_t base) {
  for (uint64_t i = 0; i < made->length; i++, pairs += 2) {
    cell *captured = pairs[0] ? capture(base + pairs[1]) : outer->captured[pairs[1]];
    made->captured[i] = captured;
  }
  return pairs;
}

/* ---- Operations ---- */

static void fail_naming(const char *what, spgc_value value) {
  char text[100];
  text_of(value, text, sizeof text);
  fail("%s: %s", what, text);
}

static spgc_value add(spgc_value a, spgc_value b) {
  if (!is(a, &string_type) || !is(b, &string_type))
    fail("+ takes two numbers or two strings");
  return (spgc_value)concatenate((string *)a, (string *)b);
}

static spgc_value field_or_method(spgc_value of, string *name) {
  if (!is(of, &instance_type))
    fail_naming("a value without fields has none of this name", (spgc_value)name);
  instance *in = (instance *)of;
  table *fields = in->fields, *methods = in->class->methods;
  uint64_t i = table_find(fields, name);
  if (fields->at[i].key)
    return fields->at[i].value;
  i = table_find(methods, name);
  if (!methods->at[i].key)
    fail_naming("no field or method has this name", (spgc_value)name);
  return (spgc_value)method_make(of, (closure *)methods->at[i].value);
}

static void set_field(spgc_value of, string *name, spgc_value value) {
  if (!is(of, &instance_type))
    fail_naming("a value without fields is given one of this name", (spgc_value)name);
  instance *in = (instance *)of;
  table *fields = table_set(in->fields, name, value);
  if (fields != in->fields)
    in->fields = fields;
}

/* NaN does not equal itself, and 0 equals -0. */
SPGC_LEAF static inline bool is_equal(spgc_value a, spgc_value b) {
  if (spgc_value_is_double(a) && spgc_value_is_double(b))
    return spgc_value_double(a) == spgc_value_double(b);
  return a == b;
}

static uint64_t index_of(spgc_value of, spgc_value index) {
  if (!is(of, &list_type) || !spgc_value_is_double(index))
    fail("an element is that of a list, at a number");
  double at = spgc_value_double(index);
  if (!(at >= 0 && at < (double)((list *)of)->count))
    fail("an index is out of range: %.14g", at);
  return (uint64_t)at;
}

/* C's fwrite, for characters in an object, whose address it does not keep. */
SPGC_LEAF size_t write_text(const char SPGC_MANAGED *text, size_t size, size_t count,
                            FILE *to) __asm__("fwrite");

static void print(spgc_value value) {
  if (is(value, &string_type)) {
    write_text(((string *)value)->text, 1, ((string *)value)->length, stdout);
  } else {
    char text[100];
    text_of(value, text, sizeof text);
    fputs(text, stdout);
  }
  putchar('\n');
}

static void add_method(class *to, string *name, closure *added) {
  to->methods = table_set(to->methods, name, (spgc_value)added);
  if (name == vm.init)
    to->init = added;
}

/* ---- Calls ---- */

/* True if a frame was entered; otherwise the result is at `base`. */
static bool call_other(spgc_value callee, uint64_t base, uint64_t top) {
  if (is(callee, &method_type)) {
    vm.stack[base] = ((method *)callee)->self;
    enter(((method *)callee)->closure, base, top);
    return true;
  }
  if (is(callee, &class_type)) {
    spgc_value made = (spgc_value)instance_make((class *)callee);
    vm.stack[base] = made;
    closure *init = ((instance *)made)->class->init;
    if (init)
      enter(init, base, top);
    else if (top != base + 1)
      fail("a class without init takes no arguments");
    return init != NULL;
  }
  if (!is(callee, &native_type))
    fail("what is called is no function");
  native *of = (native *)callee;
  if (of->arity != top - base - 1)
    fail("a native function takes %d arguments", (int)of->arity);
  spgc_value result = of->call(&vm.stack[base + 1]);
  vm.stack[base] = result;
  return false;
}

static inline bool call(spgc_value callee, uint64_t base, uint64_t top) {
  if (!is(callee, &closure_type))
    return call_other(callee, base, top);
  enter((closure *)callee, base, top);
  return true;
}

static inline bool invoke(string *name, uint64_t base, uint64_t top) {
  spgc_value self = vm.stack[base];
  if (!is(self, &instance_type))
    fail_naming("a value without methods has none of this name", (spgc_value)name);
  instance *in = (instance *)self;
  table *methods = in->class->methods;
  uint64_t i = table_find(methods, name);
  if (methods->at[i].key) {
    enter((closure *)methods->at[i].value, base, top);
    return true;
  }
  spgc_value callee = field_or_method(self, name);
  vm.stack[base] = callee;
  return call(callee, base, top);
}

/* ---- Dispatch ---- */

#ifdef COMPUTED_GOTO
#define DISPATCH                                                                                   \
  static const void *const labels[] = {OPERATIONS(LABEL)};                                         \
  NEXT;
#define LABEL(name) &&on_##name,
#define ON(name) on_##name:
#define NEXT goto *labels[*ip++]
#define NO_OTHER
#else
#define DISPATCH                                                                                   \
  for (;;)                                                                                         \
    switch (*ip++)
#define ON(name) case OP_##name:
#define NEXT break
#define NO_OTHER                                                                                   \
  default: __builtin_unreachable() /* no test of the operation */
#endif

#define DO(name, statement)                                                                        \
  ON(name) {                                                                                       \
    statement;                                                                                     \
    NEXT;                                                                                          \
  }

#define BYTE() (ip += 1, ip[-1])
#define WIDE() (ip += 2, (uint32_t)(ip[-2] << 8 | ip[-1]))
#define NAME() ((string *)constants->at[WIDE()])

/* `sp` points after the topmost value. These are saved in the frame around a call. */
#define ENTERED()                                                                                  \
  do {                                                                                             \
    frame = &vm.frames[vm.depth - 1];                                                              \
    ip = frame->ip;                                                                                \
    base = vm.stack + frame->base;                                                                 \
    callee = vm.callees[vm.depth - 1];                                                             \
    constants = callee->function->constants;                                                       \
  } while (0)

#define NUMBERS(operator, result)                                                                  \
  do {                                                                                             \
    spgc_value a = sp[-2], b = sp[-1];                                                             \
    if (!spgc_value_is_double(a) || !spgc_value_is_double(b))                                      \
      fail("%s takes two numbers", #operator);                                                     \
    sp--;                                                                                          \
    sp[-1] = result(spgc_value_double(a) operator spgc_value_double(b));                           \
  } while (0)
#define TRUTH_OF(condition) ((condition) ? TRUE : FALSE)

/* Runs the innermost frame until it returns. */
static void dispatch(void) {
  const uint8_t *ip;
  struct frame *frame;
  spgc_value *base, *sp;
  closure *callee;
  values *constants;
  ENTERED();
  sp = base + 1;
  DISPATCH {
    DO(CONSTANT, *sp++ = constants->at[WIDE()]);
    DO(NOTHING, *sp++ = NIL);
    DO(TRUTH, *sp++ = TRUE);
    DO(FALSITY, *sp++ = FALSE);
    DO(POP, sp--);
    DO(LOCAL, *sp++ = base[BYTE()]);
    DO(SET_LOCAL, base[BYTE()] = *--sp);
    ON(GLOBAL) {
      spgc_value value = vm.globals[WIDE()];
      if (value == UNDEFINED)
        fail("a variable is used before it is defined");
      *sp++ = value;
      NEXT;
    }
    DO(SET_GLOBAL, vm.globals[WIDE()] = *--sp);
    ON(CAPTURED) {
      cell *of = callee->captured[BYTE()];
      *sp++ = of->slot == CELL_CLOSED ? of->value : vm.stack[of->slot];
      NEXT;
    }
    ON(SET_CAPTURED) {
      cell *of = callee->captured[BYTE()];
      if (of->slot == CELL_CLOSED)
        of->value = *--sp;
      else
        vm.stack[of->slot] = *--sp;
      NEXT;
    }
    ON(FIELD) {
      string *name = NAME();
      spgc_value of = sp[-1];
      if (is(of, &instance_type)) {
        table *fields = ((instance *)of)->fields;
        uint64_t i = table_find(fields, name);
        if (fields->at[i].key) {
          sp[-1] = fields->at[i].value;
          NEXT;
        }
      }
      collect_if_due();
      sp[-1] = field_or_method(sp[-1], name);
      NEXT;
    }
    ON(SET_FIELD) {
      string *name = NAME();
      spgc_value of = sp[-2];
      sp -= 2;
      if (is(of, &instance_type)) {
        table *fields = ((instance *)of)->fields;
        uint64_t i = table_find(fields, name);
        if (fields->at[i].key) {
          fields->at[i].value = sp[1];
          NEXT;
        }
      }
      collect_if_due();
      set_field(sp[0], name, sp[1]);
      NEXT;
    }
    ON(ELEMENT) {
      uint64_t i = index_of(sp[-2], sp[-1]);
      sp--;
      sp[-1] = ((list *)sp[-1])->items->at[i];
      NEXT;
    }
    ON(SET_ELEMENT) {
      uint64_t i = index_of(sp[-3], sp[-2]);
      sp -= 3;
      ((list *)sp[0])->items->at[i] = sp[2];
      NEXT;
    }
    ON(ADD) {
      if (spgc_value_is_double(sp[-2]) && spgc_value_is_double(sp[-1])) {
        NUMBERS(+, spgc_value_from_double);
        NEXT;
      }
      collect_if_due();
      sp--;
      sp[-1] = add(sp[-1], sp[0]);
      NEXT;
    }
    DO(SUBTRACT, NUMBERS(-, spgc_value_from_double));
    DO(MULTIPLY, NUMBERS(*, spgc_value_from_double));
    DO(DIVIDE, NUMBERS(/, spgc_value_from_double));
    ON(REMAINDER) {
      if (!spgc_value_is_double(sp[-2]) || !spgc_value_is_double(sp[-1]))
        fail("%% takes two numbers");
      sp--;
      sp[-1] = spgc_value_from_double(fmod(spgc_value_double(sp[-1]), spgc_value_double(sp[0])));
      NEXT;
    }
    DO(LESS, NUMBERS(<, TRUTH_OF));
    DO(LESS_OR_EQUAL, NUMBERS(<=, TRUTH_OF));
    DO(GREATER, NUMBERS(>, TRUTH_OF));
    DO(GREATER_OR_EQUAL, NUMBERS(>=, TRUTH_OF));
    ON(EQUAL) {
      sp--;
      sp[-1] = TRUTH_OF(is_equal(sp[-1], sp[0]));
      NEXT;
    }
    ON(NOT_EQUAL) {
      sp--;
      sp[-1] = TRUTH_OF(!is_equal(sp[-1], sp[0]));
      NEXT;
    }
    ON(NEGATE) {
      if (!spgc_value_is_double(sp[-1]))
        fail("- takes a number");
      sp[-1] = spgc_value_from_double(-spgc_value_double(sp[-1]));
      NEXT;
    }
    DO(NOT, sp[-1] = TRUTH_OF(!is_true(sp[-1])));
    ON(JUMP) {
      uint32_t by = WIDE();
      ip += by;
      NEXT;
    }
    ON(JUMP_BACK) {
      uint32_t by = WIDE();
      ip -= by;
      NEXT;
    }
    ON(JUMP_IF_FALSE) {
      uint32_t by = WIDE();
      if (!is_true(*--sp))
        ip += by;
      NEXT;
    }
    ON(AND) {
      uint32_t by = WIDE();
      if (is_true(sp[-1]))
        sp--;
      else
        ip += by;
      NEXT;
    }
    ON(OR) {
      uint32_t by = WIDE();
      if (is_true(sp[-1]))
        ip += by;
      else
        sp--;
      NEXT;
    }
    ON(CALL) {
      uint32_t arguments = BYTE();
      uint64_t top = (uint64_t)(sp - vm.stack), from = top - arguments - 1;
      frame->ip = ip;
      collect_if_due();
      if (call(vm.stack[from], from, top)) {
        ENTERED();
        sp = base + arguments + 1;
      } else {
        sp = vm.stack + from + 1;
      }
      NEXT;
    }
    ON(INVOKE) {
      string *name = NAME();
      uint32_t arguments = BYTE();
      uint64_t top = (uint64_t)(sp - vm.stack), from = top - arguments - 1;
      frame->ip = ip;
      collect_if_due();
      if (invoke(name, from, top)) {
        ENTERED();
        sp = base + arguments + 1;
      } else {
        sp = vm.stack + from + 1;
      }
      NEXT;
    }
    ON(RETURN) {
      spgc_value result = sp[-1];
      sp = base;
      if (vm.open)
        close_cells((uint64_t)(base - vm.stack));
      leave();
      if (vm.depth == 0)
        return;
      *sp++ = result;
      ENTERED();
      NEXT;
    }
    ON(CLOSURE) {
      collect_if_due();
      uint32_t which = WIDE();
      closure *made = closure_make((function *)constants->at[which], BYTE());
      *sp++ = (spgc_value)made;
      ip = close_over(made, callee, ip, (uint64_t)(base - vm.stack));
      NEXT;
    }
    ON(CLOSE) {
      sp--;
      close_cells((uint64_t)(sp - vm.stack));
      NEXT;
    }
    ON(LIST) {
      collect_if_due();
      uint32_t count = BYTE();
      list *made = list_make(count);
      sp -= count;
      for (uint32_t i = 0; i < count; i++)
        made->items->at[i] = sp[i];
      *sp++ = (spgc_value)made;
      NEXT;
    }
    ON(CLASS) {
      collect_if_due();
      class *made = class_make(NAME());
      *sp++ = (spgc_value)made;
      NEXT;
    }
    ON(METHOD) {
      collect_if_due();
      string *name = NAME();
      sp--;
      add_method((class *)sp[-1], name, (closure *)sp[0]);
      NEXT;
    }
    DO(PRINT, print(*--sp));
    NO_OTHER;
  }
}

void vm_run(function *program) {
  closure *main = closure_make(program, 0);
  vm.stack[0] = (spgc_value)main;
  vm.stack_roots.count = 1;
  enter(main, 0, 1);
  dispatch();
}
