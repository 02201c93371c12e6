#include "vm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collect.h"

struct vm vm;

enum { FIRST_CAPACITY = 256, CHUNK = 4 };

void *resize(void *old, uint64_t count, uint64_t size) {
  void *resized = reallocarray(old, count, size);
  if (!resized)
    fail("out of memory");
  return resized;
}

static void add_roots(struct spgc_roots *roots, spgc_value *first, const char *name) {
  *roots = (struct spgc_roots){.first = (struct spgc_ref *)first, .name = name};
  spgc_roots_add(roots);
}

void vm_start(void) {
  strings_start();
  vm.init = intern("init", 4);
  vm.capacity = FIRST_CAPACITY;
  vm.stack = resize(NULL, FIRST_CAPACITY + CHUNK, sizeof *vm.stack);
  vm.frames = resize(NULL, MOST_FRAMES, sizeof *vm.frames);
  vm.callees = resize(NULL, MOST_FRAMES, sizeof *vm.callees);
  add_roots(&vm.stack_roots, vm.stack, "stack");
  add_roots(&vm.callee_roots, (spgc_value *)vm.callees, "callees");
}

/* ---- Frames ---- */

static void grow(uint64_t words) {
  while (vm.capacity < words)
    vm.capacity *= 2;
  vm.stack = resize(vm.stack, vm.capacity + CHUNK, sizeof *vm.stack);
  vm.stack_roots.first = (struct spgc_ref *)vm.stack;
}

/* Nulls words left over from calls that have returned, and up to CHUNK - 1 after the last. Volatile
 * stores do not become a slower call of memset. */
SPGC_LEAF static inline void clear(spgc_value *from, spgc_value *to) {
  for (; from < to; from += CHUNK)
    for (int i = 0; i < CHUNK; i++)
      ((spgc_value volatile *)from)[i] = NULL;
}

/* Begins a call whose callee is on the stack at `base`, before its arguments. Its frame ends with
 * its caller's or after it, so the caller's words stay roots, and only words after them are
 * cleared. */
static inline void enter(closure *callee, uint64_t base, uint64_t arguments) {
  function *of = callee->function;
  uint64_t from = vm.stack_roots.count, end = base + of->depth, depth = vm.depth;
  if (end < from)
    end = from;
  if (arguments != of->arity)
    fail("a call has %d arguments, and the function %d parameters", (int)arguments, (int)of->arity);
  if (end > vm.capacity)
    grow(end);
  if (depth == MOST_FRAMES)
    fail("the calls are too deep");
  clear(vm.stack + from, vm.stack + end);
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

static const struct spgc_type cell_type =
    SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct cell, value), SPGC_OFFSET(struct cell, next));

static cell *capture(uint64_t slot) {
  cell *above = NULL, *at = vm.open;
  for (; at && at->slot > slot; at = at->next)
    above = at;
  if (at && at->slot == slot)
    return at;
  cell *made = spgc_allocate(&cell_type);
  made->slot = slot;
  made->next = at;
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

static void capture_all(closure *made, closure *outer, const uint32_t *loads, uint64_t base) {
  for (uint64_t i = 0; i < made->length; i++) {
    uint32_t n = loads[i] >> 8;
    cell *captured = (loads[i] & 255) == OP_LOCAL ? capture(base + n) : outer->captured[n];
    made->captured[i] = captured;
  }
}

/* ---- Operations ---- */

static spgc_value concatenate(spgc_value a, spgc_value b) {
  if (!is(a, &string_type) || !is(b, &string_type))
    fail("+ takes two numbers or two strings");
  string *first = (string *)a, *second = (string *)b;
  return (spgc_value)intern(text_in_c(first, second), first->length + second->length);
}

static inline table *fields_of(spgc_value of, string *name) {
  if (!is(of, &instance_type))
    fail("only instances have fields and methods, as '%s'", text_in_c(name, NULL));
  return ((instance *)of)->fields;
}

static inline spgc_value field_of(spgc_value of, string *name) {
  table *fields = fields_of(of, name);
  uint64_t i = table_find(fields, name);
  if (!fields->at[i].key)
    fail("no field or method is named '%s'", text_in_c(name, NULL));
  return fields->at[i].value;
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
    char text[32];
    text_of(value, text, sizeof text);
    fputs(text, stdout);
  }
  putchar('\n');
}

/* ---- Calls ---- */

/* The callee and its arguments are on the stack from `base`. These functions give the closure
 * to enter, or null if the result is at `base` already. */
static closure *call_other(spgc_value called, uint64_t base, uint64_t arguments) {
  collect_if_due();
  if (is(called, &class_type)) {
    instance *made = instance_make((class *)called);
    vm.stack[base] = (spgc_value)made;
    table *methods = made->class->methods;
    uint64_t i = table_find(methods, vm.init);
    if (!methods->at[i].key && arguments != 0)
      fail("a class without init takes no arguments");
    return (closure *)methods->at[i].value;
  }
  if (!is(called, &native_type) || ((native *)called)->arity != arguments)
    fail("this call needs a function of %d arguments", (int)arguments);
  spgc_value result = ((native *)called)->call(&vm.stack[base + 1]);
  vm.stack[base] = result;
  return NULL;
}

static inline closure *callee_of(spgc_value called, uint64_t base, uint64_t arguments) {
  return is(called, &closure_type) ? (closure *)called : call_other(called, base, arguments);
}

static inline closure *method_of(string *name, uint64_t base, uint64_t arguments) {
  spgc_value self = vm.stack[base];
  if (is(self, &instance_type)) {
    table *methods = ((instance *)self)->class->methods;
    uint64_t i = table_find(methods, name);
    if (methods->at[i].key)
      return (closure *)methods->at[i].value;
  }
  return callee_of(field_of(self, name), base, arguments);
}

/* ---- Dispatch ---- */

#ifdef COMPUTED_GOTO
#define LABEL(name, effect) &&on_##name,
#define DISPATCH                                                                                   \
  static const void *const labels[] = {OPERATIONS(LABEL)};                                         \
  NEXT;
#define ON(name) on_##name:
#define NEXT goto *labels[(instruction = *ip++) & 255]
#define NO_OTHER
#else
#define DISPATCH                                                                                   \
  for (;;)                                                                                         \
    switch ((instruction = *ip++) & 255)
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

/* The instruction's operand, as a number and as the constant with its index. */
#define N (instruction >> 8)
#define NAME(n) ((string *)constants->at[n])

/* Replaces two numbers, a and b, by the result. */
#define NUMBERS(name, sign, result)                                                                \
  ON(name) {                                                                                       \
    if (!spgc_value_is_double(sp[-2]) || !spgc_value_is_double(sp[-1]))                            \
      fail("%s takes two numbers", sign);                                                          \
    sp--;                                                                                          \
    double a = spgc_value_double(sp[-1]), b = spgc_value_double(sp[0]);                            \
    sp[-1] = (result);                                                                             \
    NEXT;                                                                                          \
  }
#define TRUTH(condition) ((condition) ? TRUE : FALSE)

/* Runs these instructions, the first of which is a call, until it returns. `sp` points after the
 * topmost value. Not inline: the first instruction would be known, and read apart from the others.
 */
__attribute__((noinline)) static void dispatch(const uint32_t *ip, spgc_value *sp) {
  struct frame outside, *frame = &outside;
  uint32_t instruction;
  uint64_t arguments, from;
  spgc_value *base = sp;
  closure *running = NULL, *callee;
  values *constants = NULL;
  DISPATCH {
    DO(CONSTANT, *sp++ = constants->at[N]);
    DO(POP, sp--);
    DO(LOCAL, *sp++ = base[N]);
    DO(SET_LOCAL, base[N] = *--sp);
    ON(CAPTURED) {
      cell *of = running->captured[N];
      *sp++ = of->slot == CELL_CLOSED ? of->value : vm.stack[of->slot];
      NEXT;
    }
    ON(SET_CAPTURED) {
      cell *of = running->captured[N];
      if (of->slot == CELL_CLOSED)
        of->value = *--sp;
      else
        vm.stack[of->slot] = *--sp;
      NEXT;
    }
    DO(GLOBAL, *sp++ = vm.stack[N]);
    DO(SET_GLOBAL, vm.stack[N] = *--sp);
    DO(FIELD, sp[-1] = field_of(sp[-1], NAME(N)));
    ON(SET_FIELD) {
      string *name = NAME(N);
      table *fields = fields_of(sp[-2], name);
      uint64_t i = table_find(fields, name);
      sp -= 2;
      if (fields->at[i].key) {
        fields->at[i].value = sp[1];
        NEXT;
      }
      collect_if_due();
      table *with = table_set(fields, name, sp[1]);
      if (with != ((instance *)sp[0])->fields)
        ((instance *)sp[0])->fields = with;
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
      sp--;
      if (spgc_value_is_double(sp[-1]) && spgc_value_is_double(sp[0])) {
        sp[-1] = spgc_value_from_double(spgc_value_double(sp[-1]) + spgc_value_double(sp[0]));
        NEXT;
      }
      collect_if_due();
      sp[-1] = concatenate(sp[-1], sp[0]);
      NEXT;
    }
    NUMBERS(SUBTRACT, "-", spgc_value_from_double(a - b));
    NUMBERS(MULTIPLY, "*", spgc_value_from_double(a * b));
    NUMBERS(DIVIDE, "/", spgc_value_from_double(a / b));
    NUMBERS(REMAINDER, "%", spgc_value_from_double(fmod(a, b)));
    NUMBERS(LESS, "<", TRUTH(a < b));
    NUMBERS(LESS_OR_EQUAL, "<=", TRUTH(a <= b));
    NUMBERS(GREATER, ">", TRUTH(a > b));
    NUMBERS(GREATER_OR_EQUAL, ">=", TRUTH(a >= b));
    ON(EQUAL) {
      sp--;
      sp[-1] = TRUTH(is_equal(sp[-1], sp[0]));
      NEXT;
    }
    ON(NOT_EQUAL) {
      sp--;
      sp[-1] = TRUTH(!is_equal(sp[-1], sp[0]));
      NEXT;
    }
    DO(NOT, sp[-1] = TRUTH(!is_true(sp[-1])));
    DO(JUMP, ip += (int32_t)instruction >> 8);
    ON(JUMP_IF_FALSE) {
      if (!is_true(*--sp))
        ip += N;
      NEXT;
    }
    ON(AND) {
      if (is_true(sp[-1]))
        sp--;
      else
        ip += N;
      NEXT;
    }
    ON(OR) {
      if (is_true(sp[-1]))
        ip += N;
      else
        sp--;
      NEXT;
    }
    ON(INVOKE) {
      arguments = N & 255;
      from = (uint64_t)(sp - vm.stack) - arguments - 1;
      callee = method_of(NAME(N >> 8), from, arguments);
      goto call;
    }
    ON(CALL) {
      arguments = N;
      from = (uint64_t)(sp - vm.stack) - arguments - 1;
      callee = callee_of(vm.stack[from], from, arguments);
    call:
      if (!callee) {
        sp -= arguments;
        NEXT;
      }
      frame->ip = ip;
      enter(callee, from, arguments);
      sp = vm.stack + from + 1 + arguments;
      goto entered;
    }
    ON(RETURN) {
      *base = sp[-1];
      sp = base + 1;
      if (vm.open)
        close_cells((uint64_t)(base - vm.stack));
      leave();
      if (vm.depth == 0)
        return;
    entered:
      frame = &vm.frames[vm.depth - 1];
      ip = frame->ip;
      base = vm.stack + frame->base;
      running = vm.callees[vm.depth - 1];
      constants = running->function->constants;
      NEXT;
    }
    ON(CLOSURE) {
      collect_if_due();
      closure *made = closure_make((function *)constants->at[N]);
      *sp++ = (spgc_value)made;
      capture_all(made, running, ip, (uint64_t)(base - vm.stack));
      ip += made->length;
      NEXT;
    }
    ON(CLOSE) {
      sp--;
      close_cells((uint64_t)(sp - vm.stack));
      NEXT;
    }
    ON(LIST) {
      collect_if_due();
      list *made = list_make(N);
      sp -= made->count;
      for (uint64_t i = 0; i < made->count; i++)
        made->items->at[i] = sp[i];
      *sp++ = (spgc_value)made;
      NEXT;
    }
    ON(CLASS) {
      collect_if_due();
      class *made = class_make();
      *sp++ = (spgc_value)made;
      NEXT;
    }
    ON(METHOD) {
      collect_if_due();
      sp--;
      table *methods = table_set(((class *)sp[-1])->methods, NAME(N), sp[0]);
      ((class *)sp[-1])->methods = methods;
      NEXT;
    }
    DO(PRINT, print(*--sp));
    NO_OTHER;
  }
}

void vm_run(function *program) {
  const uint32_t call_program = OP_CALL | program->arity << 8;
  closure *main = closure_make(program);
  vm.stack[0] = (spgc_value)main;
  dispatch(&call_program, vm.stack + vm.stack_roots.count);
}
