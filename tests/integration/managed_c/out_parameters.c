/* Parts of objects that are copied out through pointers to variables of the caller, and back:
 * references that their types show, and numbers in unions whose references are none. */
#include "spgc/managed.h"

struct object;
typedef struct object SPGC_MANAGED *object;

struct shown {
  long tag;
  union {
    object object;
    long number;
  };
};

struct hiding {
  long tag;
  union {
    long number;
    object object;
  };
};

struct object {
  const struct spgc_type *type;
  struct shown shown;
  struct hiding hiding;
};

static const uint32_t references[] = {SPGC_OFFSET(struct object, shown.object),
                                      SPGC_OFFSET(struct object, hiding.object)};
static const struct spgc_type object_type = {.size = sizeof(struct object),
                                             .reference_count = 2,
                                             .reference_offsets = references,
                                             .name = "object"};

__attribute__((noinline)) static object make(long number) {
  object made = spgc_allocate(&object_type);
  made->shown.tag = number;
  return made;
}

__attribute__((noinline)) static void get(object from, struct shown *out) {
  *out = from->shown;
}

__attribute__((noinline)) static void get_number(object from, struct hiding *out) {
  out->tag = from->hiding.tag;
  out->number = from->hiding.number;
}

__attribute__((noinline)) static void choose(struct hiding *out, long number) {
  struct hiding made = {.tag = 1, .number = number};
  *out = made;
}

static inline __attribute__((always_inline)) void get_here(object from, struct hiding *out) {
  *out = from->hiding;
}

__attribute__((noinline)) static void put(object to, struct shown *shown, struct hiding *number) {
  to->shown = *shown;
  to->hiding = *number;
}

long managed_run(long n) {
  long sum = 0;
  object kept = make(n);
  for (long i = 0; i < n; i++) {
    struct shown shown;
    struct hiding number, chosen;
    object from = make(1), to = make(2), third = make(3);
    from->shown.object = make(i);
    from->hiding.number = 2 * i + 1;
    get(from, &shown);
    get_number(from, &number);
    make(4);
    put(to, &shown, &number);
    make(5);
    sum += to->shown.object->shown.tag == i && to->hiding.number == 2 * i + 1;
    choose(&chosen, 7);
    make(6);
    sum += chosen.number == 7;
    from->hiding.object = make(i + 1);
    struct hiding here;
    get_here(from, &here);
    third->hiding = here;
    make(7);
    sum += third->hiding.object->shown.tag == i + 1;
  }
  return sum + kept->shown.tag;
}
