/* Parts of objects copied to variables of the caller, and back. */
#include "spgc/managed.h"

struct object;
typedef struct object SPGC_MANAGED *object;

struct part {
  long tag;
  object object;
};

struct object {
  const struct spgc_type *type;
  struct part part, other;
};

static const uint32_t references[] = {SPGC_OFFSET(struct object, part.object),
                                      SPGC_OFFSET(struct object, other.object)};
static const struct spgc_type object_type = {.size = sizeof(struct object),
                                             .reference_count = 2,
                                             .reference_offsets = references,
                                             .name = "object"};

__attribute__((noinline)) static object make(long number) {
  object made = spgc_allocate(&object_type);
  made->part.tag = number;
  return made;
}

__attribute__((noinline)) static void get(object from, struct part *out) {
  *out = from->part;
}

static inline __attribute__((always_inline)) void get_here(object from, struct part *out) {
  *out = from->other;
}

__attribute__((noinline)) static void put(object to, struct part *part, struct part *other) {
  to->part = *part;
  to->other = *other;
}

long managed_run(long n) {
  long sum = 0;
  object kept = make(n);
  for (long i = 0; i < n; i++) {
    struct part part, other;
    object from = make(1), to = make(2);
    from->part.object = make(i);
    from->other.object = make(i + 1);
    from->other.tag = 5;
    get(from, &part);
    make(4);
    get_here(from, &other);
    make(5);
    put(to, &part, &other);
    make(6);
    sum += to->part.object->part.tag == i && to->part.tag == 1;
    sum += to->other.object->part.tag == i + 1 && to->other.tag == 5;
    sum += from->part.object->part.tag == i;
  }
  return sum + kept->part.tag;
}
