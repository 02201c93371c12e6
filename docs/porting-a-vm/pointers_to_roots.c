/* A Lisp whose functions took `Obj **`, pointers to variables that the old collector knew. */
#include "spgc/managed.h"

#include <stdio.h>

#include "spgc/main.h"

typedef struct Obj SPGC_MANAGED Obj;

struct Obj {
  const struct spgc_type *type;
  Obj *car, *cdr;
  long number;
};

static const struct spgc_type obj_type =
    SPGC_OBJECT_TYPE(struct Obj, SPGC_OFFSET(struct Obj, car), SPGC_OFFSET(struct Obj, cdr));

/* Before: the variables were words of an array, which was linked to that of the caller.
 *
 *   #define DEFINE2(a, b) void *frame_[] = {root, NULL, NULL, END}; void *root = frame_; \
 *                         Obj **a = (Obj **)(frame_ + 1), **b = (Obj **)(frame_ + 2)
 *
 * Now they are variables, because the collector knows all of them. Their addresses are passed on as
 * before, and the parameter `root` may go or stay. */
#define DEFINE2(a, b) Obj *a##_ = NULL, **a = &a##_, *b##_ = NULL, **b = &b##_

static Obj *cons(Obj **car, Obj **cdr) {
  Obj *made = spgc_allocate(&obj_type);
  made->car = *car;
  made->cdr = *cdr;
  return made;
}

static Obj *make_number(long number) {
  Obj *made = spgc_allocate(&obj_type);
  made->number = number;
  return made;
}

static Obj *reverse(Obj **list) {
  DEFINE2(reversed, rest);
  for (*rest = *list; *rest; *rest = (*rest)->cdr) {
    Obj *first = (*rest)->car;
    *reversed = cons(&first, reversed);
  }
  return *reversed;
}

static void program(void *status) {
  DEFINE2(list, number);
  for (long i = 0; i < 100; i++) {
    *number = make_number(i);
    *list = cons(number, list);
  }
  *list = reverse(list);
  long expected = 0;
  for (Obj *at = *list; at; at = at->cdr)
    expected += at->car->number == expected;
  *(int *)status = expected == 100 ? 0 : 1;
}

int main(void) {
  int status = 1;
  struct spgc_error error;
  if (spgc_main(NULL, program, &status, &error) != SPGC_OK)
    fprintf(stderr, "%s\n", error.message);
  return status;
}
