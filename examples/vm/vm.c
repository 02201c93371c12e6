/* tarn FILE [NUMBER]   runs the program; its variable `size` is NUMBER. The exit code is 1 after a
 *                      message about the program, and 2 if there is none. */
#include "tarn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect.h"
#include "spgc/main.h"
#include "spgc/protect.h"
#include "spgc/roots.h"

enum { MOST_WORDS = 1 << 15 }; /* of the stack, so that C's holds as many calls */

struct vm vm;
static uint64_t capacity = 1; /* of the stack, which grows by doubling */
static struct spgc_roots stack_roots = {.name = "stack"}; /* up to the innermost frame's end */
static const struct instruction *current; /* after the last instruction that may have failed */

_Noreturn void fail(int line, const char *message, int length, const char *detail) {
  fflush(stdout);
  fprintf(stderr, "tarn: line %d: %s: %.*s\n", line, message, length, detail);
  spgc_leave(NULL, NULL);
}

#define FAIL(message, value) fail(current[-1].line, message, -1, TEXT(value))

void *resize(void *old, uint64_t count, uint64_t size) {
  void *resized = reallocarray(old, count, size);
  if (resized)
    return resized;
  fputs("tarn: out of memory\n", stderr);
  exit(EXIT_FAILURE);
}

/* ---- The stack ---- */

/* Nulls words left over from calls that have returned. Volatile stores do not become a slower call
 * of memset. */
SPGC_LEAF static inline void clear(spgc_value *from, spgc_value *to) {
  for (; from < to; from++)
    *(spgc_value volatile *)from = NULL;
}

static void grow(uint64_t words) {
  if (words > MOST_WORDS)
    FAIL("the calls need too many words of the stack", NUMBER((double)words));
  while (capacity < words)
    capacity *= 2;
  vm.stack = resize(vm.stack, capacity, sizeof *vm.stack);
  stack_roots.first = (struct spgc_ref *)vm.stack;
}

/* ---- Captured variables ---- */

static const struct spgc_type closure_type = SPGC_ARRAY_TYPE(struct closure, captured, 0);
static const struct spgc_type cell_type =
    SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct cell, value), SPGC_OFFSET(struct cell, next));

static cell *capture(uint64_t slot) {
  for (cell *at = vm.open; at; at = at->next)
    if (at->slot == slot)
      return at;
  cell *made = spgc_allocate(&cell_type);
  made->slot = slot;
  made->next = vm.open;
  vm.open = made;
  return made;
}

/* Moves the values of variables from this word upwards into their cells. */
static void close_cells(uint64_t from) {
  cell *at = vm.open, *next;
  for (vm.open = NULL; at; at = next) {
    next = at->next;
    at->next = at->slot < from ? vm.open : NULL;
    if (at->slot < from) {
      vm.open = at;
    } else {
      at->value = vm.stack[at->slot];
      at->slot = CELL_CLOSED;
    }
  }
}

static closure *closure_make(const struct function *of, closure *outer, uint64_t base) {
  closure *made = spgc_allocate_array(&closure_type, (uint64_t)of->capture_count);
  made->function = of;
  for (int i = 0; i < of->capture_count; i++) {
    uint64_t n = (uint64_t)of->captures[i].n;
    bool is_local = of->captures[i].operation == OP_LOCAL;
    made->captured[i] = is_local ? capture(base + n) : outer->captured[n];
  }
  return made;
}

/* ---- Operations ---- */

static const struct spgc_type table_type = SPGC_ARRAY_TYPE(
    struct table, at, SPGC_OFFSET(struct entry, key), SPGC_OFFSET(struct entry, value));
static const struct spgc_type instance_type = SPGC_OBJECT_TYPE(
    struct instance, SPGC_OFFSET(struct instance, class), SPGC_OFFSET(struct instance, fields));

static inline instance *instance_of(spgc_value value, string *name) {
  if (!is(value, &instance_type))
    FAIL("only instances have a field or method", name);
  return (instance *)value;
}

static inline spgc_value field_of(spgc_value of, string *name) {
  table *fields = instance_of(of, name)->fields;
  uint64_t i = table_find(fields, name);
  if (!fields->at[i].key)
    FAIL("the instance has no field or method", name);
  return fields->at[i].value;
}

/* The callee and its arguments are on the stack from `base`. Gives the closure to call, or null if
 * the result is there already: an instance without `init`. */
static inline closure *callee_of(uint64_t base, int arguments) {
  if (is(vm.stack[base], &closure_type))
    return (closure *)vm.stack[base];
  if (!is(vm.stack[base], &table_type))
    FAIL("only functions and classes can be called, not", vm.stack[base]);
  collect_if_due();
  instance *made = spgc_allocate(&instance_type);
  made->class = (table *)vm.stack[base];
  made->fields = spgc_allocate_array(&table_type, 4);
  vm.stack[base] = (spgc_value)made;
  uint64_t init = table_find(made->class, vm.init);
  if (!made->class->at[init].key && arguments != 0)
    FAIL("the class has no init for arguments", NUMBER(arguments));
  return (closure *)made->class->at[init].value;
}

static inline closure *method_of(string *name, uint64_t base, int arguments) {
  table *methods = instance_of(vm.stack[base], name)->class;
  uint64_t i = table_find(methods, name);
  if (methods->at[i].key)
    return (closure *)methods->at[i].value;
  vm.stack[base] = field_of(vm.stack[base], name);
  return callee_of(base, arguments);
}

/* ---- Dispatch ---- */

/* clang-format off */
#ifdef COMPUTED_GOTO
#define LABEL(name, ...) &&on_##name,
#define DISPATCH static const void *const labels[] = {OPERATIONS(LABEL)}; NEXT;
#define ON(name) on_##name:
#define NEXT goto *labels[(at = ip++)->operation]
#define NO_OTHER
#else
#define DISPATCH for (;;) switch ((at = ip++)->operation)
#define ON(name) case OP_##name:
#define NEXT break
#define NO_OTHER default: __builtin_unreachable() /* no test of the operation */
#endif
#define DO(name, ...) ON(name) { __VA_ARGS__; NEXT; }

/* The two uppermost values. */
#define ARE_NUMBERS (spgc_value_is_double(sp[-2]) && spgc_value_is_double(sp[-1]))
#define LEFT spgc_value_double(sp[-2])
#define RIGHT spgc_value_double(sp[-1])
#define OTHER (spgc_value_is_double(sp[-1]) ? sp[-2] : sp[-1])
#define NUMERIC_CASE(name, effect, sign, binds, result)                                            \
  DO(name, if (!ARE_NUMBERS) { SAVE; FAIL("no number for " sign, OTHER); } sp[-2] = result; sp--)
#define SAVE current = ip /* before an operation that may fail */
#define N (at->n)
#define NAME ((string *)vm.stack[N])
/* clang-format on */

/* Calls the closure. Its frame is on the stack from `own`: the closure itself or the instance,
 * whose place the result takes, and the arguments. It ends with its caller's or after it, so the
 * caller's words stay roots, and only words after them are cleared. `sp` points after the topmost
 * value. */
static void dispatch(closure *running, uint64_t own, int arguments) {
  const struct instruction *at, *ip = running->function->code;
  uint64_t before = stack_roots.count, end = own + (uint64_t)running->function->words;
  if (arguments != running->function->arity)
    FAIL("the function takes another number of arguments", NUMBER(running->function->arity));
  if (end > capacity)
    grow(end);
  clear(vm.stack + before, vm.stack + end);
  stack_roots.count = end > before ? end : before;
  spgc_value *base = vm.stack + own, *sp = base + arguments + 1;
  DISPATCH {
    DO(POP, sp--);
    DO(LOCAL, *sp++ = base[N]);
    DO(SET_LOCAL, base[N] = *--sp);
    DO(CAPTURED, cell *of = running->captured[N];
       *sp++ = of->slot == CELL_CLOSED ? of->value : vm.stack[of->slot]);
    DO(SET_CAPTURED, cell *of = running->captured[N];
       if (of->slot == CELL_CLOSED) of->value = *--sp; else vm.stack[of->slot] = *--sp);
    DO(GLOBAL, *sp++ = vm.stack[N]);
    DO(SET_GLOBAL, vm.stack[N] = *--sp);
    DO(FIELD, SAVE; sp[-1] = field_of(sp[-1], NAME));
    ON(SET_FIELD) {
      SAVE;
      table *fields = instance_of(sp[-2], NAME)->fields, *with;
      uint64_t i = table_find(fields, NAME);
      if (fields->at[i].key)
        fields->at[i].value = sp[-1];
      else if ((with = table_set(fields, NAME, sp[-1])) != fields)
        ((instance *)sp[-2])->fields = with;
      sp -= 2;
      NEXT;
    }
    ON(ADD) {
      if (ARE_NUMBERS) {
        sp[-2] = NUMBER(LEFT + RIGHT);
      } else {
        SAVE;
        collect_if_due();
        if (!is(sp[-2], &string_type) && !is(sp[-1], &string_type))
          FAIL("+ takes two numbers, or a string and any value, not", sp[-2]);
        uint64_t length = write_text(write_text(0, sp[-2]), sp[-1]);
        sp[-2] = (spgc_value)intern(vm.text, length);
      }
      sp--;
      NEXT;
    }
    NUMERIC(NUMERIC_CASE)
    DO(EQUAL, sp[-2] = TRUTH(ARE_NUMBERS ? LEFT == RIGHT : sp[-2] == sp[-1]); sp--);
    DO(NOT, sp[-1] = TRUTH(IS_FALSE(sp[-1])));
    DO(JUMP, ip += N);
    DO(JUMP_IF_FALSE, sp--; if (IS_FALSE(sp[0])) ip += N);
    DO(AND, if (IS_FALSE(sp[-1])) ip += N; else sp--);
    DO(OR, if (IS_FALSE(sp[-1])) sp--; else ip += N);
    ON(INVOKE)
    ON(CALL) {
      SAVE;
      uint64_t from = (uint64_t)(sp - vm.stack) - at->arguments - 1;
      closure *callee = at->operation == OP_CALL ? callee_of(from, at->arguments)
                                                 : method_of(NAME, from, at->arguments);
      if (callee)
        dispatch(callee, from, at->arguments);
      base = vm.stack + own;
      sp = vm.stack + from + 1;
      NEXT;
    }
    ON(RETURN) {
      *base = sp[-1];
      if (vm.open)
        close_cells(own);
      stack_roots.count = before;
      return;
    }
    DO(CLOSURE, collect_if_due(); closure *made = closure_make(&functions[N], running, own);
       *sp++ = (spgc_value)made);
    DO(END_BLOCK, sp -= N; if (vm.open) close_cells((uint64_t)(sp - vm.stack)));
    DO(CLASS, collect_if_due(); table *made = spgc_allocate_array(&table_type, 8);
       *sp++ = (spgc_value)made);
    DO(METHOD, sp--; sp[-1] = (spgc_value)table_set((table *)sp[-1], NAME, sp[0]));
    DO(PRINT, collect_if_due(); write_text(0, *--sp); puts(vm.text));
    NO_OTHER;
  }
}

static char source[1 << 16];
static double size;

static void *run(void *nothing) {
  grow(MOST_CONSTANTS + 2);
  clear(vm.stack, vm.stack + MOST_CONSTANTS + 2);
  stack_roots.count = MOST_CONSTANTS + 2;
  spgc_roots_add(&stack_roots);
  vm.init = intern("init", 4);
  compile(source);
  closure *program = closure_make(&functions[0], NULL, 0);
  vm.stack[MOST_CONSTANTS] = (spgc_value)program;
  vm.stack[MOST_CONSTANTS + 1] = NUMBER(size);
  dispatch(program, MOST_CONSTANTS, 1);
  return nothing;
}

static void protected(void *failed) {
  spgc_protect(run, NULL, failed);
}

int main(int argc, char **argv) {
  bool failed = false;
  struct spgc_error error;
  FILE *file = argc == 2 || argc == 3 ? fopen(argv[1], "r") : NULL;
  uint64_t length = file ? fread(source, 1, sizeof source, file) : 0;
  if (!file || ferror(file) || length == sizeof source || strlen(source) != length) {
    fputs("usage: tarn FILE [NUMBER]   the file is a text of less than 65,536 bytes\n", stderr);
    return 2;
  }
  fclose(file);
  size = argc == 3 ? strtod(argv[2], NULL) : 0;
  if (spgc_main(NULL, protected, &failed, &error) == SPGC_OK)
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
  fprintf(stderr, "tarn: %s\n", error.message);
  return EXIT_FAILURE;
}
