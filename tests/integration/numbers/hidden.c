/* Addresses hidden as numbers, which no type shows. In the test `checked-numbers`, managed_run(K),
 * program K, ends with the message of its remark, and names its line. */
#include "spgc/managed.h"

#include <string.h>

struct node;
typedef struct node SPGC_MANAGED *node;

struct node {
  const struct spgc_type *type;
  long number;
  node next;
};

struct bytes {
  const struct spgc_type *type;
  uint64_t length;
  char at[];
};
typedef struct bytes SPGC_MANAGED *bytes;

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));
static const struct spgc_type bytes_type = SPGC_DATA_ARRAY_TYPE(struct bytes, at);

union word {
  long number;
  node reference;
};
typedef union word SPGC_MANAGED *word;
typedef long pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef long any_long __attribute__((may_alias));
typedef double any_double __attribute__((may_alias));

/* A leaf may get a pointer into an object. */
#define NOINLINE __attribute__((noinline)) static
#define PLACE SPGC_LEAF NOINLINE

static long kept_number;
static const void *kept_pointer;
static struct {
  long number;
  char bytes[16];
} kept;

static node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

NOINLINE node chain(void) {
  node first = make(1);
  first->next = make(2);
  return first;
}

NOINLINE void collect(void) {
  for (int i = 0; i < 3; i++)
    make(i);
}

PLACE long union_read(word from) {
  return from->number; /* FOUND: reads a number from an object */
}

PLACE long real_read(any_double SPGC_MANAGED *from) {
  return *from > 0; /* FOUND: reads a number from an object */
}

PLACE long vector_read(pair SPGC_MANAGED *from) {
  return (*from)[1]; /* FOUND: reads a number from an object */
}

PLACE long byte_read(const char SPGC_MANAGED *from) {
  return from[3]; /* FOUND: reads a number from an object */
}

PLACE long exchange_read(any_long SPGC_MANAGED *at) {
  return __atomic_exchange_n(at, 0, __ATOMIC_SEQ_CST); /* FOUND: reads a number from an object */
}

PLACE const char *pointer_read(const char *SPGC_MANAGED *from) {
  return *from; /* FOUND: reads a number from an object */
}

static long run_union_read(void) {
  return union_read((word)&chain()->next);
}

static long run_real_read(void) {
  return real_read((any_double SPGC_MANAGED *)&chain()->next);
}

static long run_vector_read(void) {
  return vector_read((pair SPGC_MANAGED *)&chain()->number);
}

static long run_byte_read(void) {
  return byte_read((const char SPGC_MANAGED *)&chain()->next);
}

static long run_exchange_read(void) {
  return exchange_read((any_long SPGC_MANAGED *)&chain()->next);
}

static long run_pointer_read(void) {
  return pointer_read((const char *SPGC_MANAGED *)&chain()->next) != NULL;
}

NOINLINE long number_of(node object) {
  long bits = (long)object;
  return bits + object->number - object->number;
}

PLACE void union_store(word to, long number) {
  to->number = number; /* FOUND: stores a number */
}

PLACE void global_store(long number) {
  kept_number = number; /* FOUND: stores a number */
}

PLACE void pointer_store(long number) {
  kept_pointer = (const void *)number; /* FOUND: stores a number */
}

PLACE void byte_store(char SPGC_MANAGED *to, long number) {
  for (int i = 0; i < 8; i++)
    to[i] = (char)(number >> (8 * i)); /* FOUND: writes a part of a reference as a number */
}

static long run_union_store(void) {
  node object = chain();
  union_store((word)&object->next, number_of(object));
  return 0;
}

static long run_global_store(void) {
  global_store(number_of(chain()));
  return 0;
}

static long run_pointer_store(void) {
  pointer_store(number_of(chain()));
  return 0;
}

static long run_byte_store(void) {
  bytes to = spgc_allocate_array(&bytes_type, 8);
  byte_store(to->at, number_of(chain()));
  return 0;
}

PLACE void copy_to_number(const void SPGC_MANAGED *from) {
  __builtin_memcpy(&kept.number, (const char SPGC_MANAGED *)from, 8); /* FOUND: copies a word */
}

PLACE void copy_to_bytes(const void SPGC_MANAGED *from) {
  __builtin_memcpy(kept.bytes, (const char SPGC_MANAGED *)from, 16); /* FOUND: copies a word */
}

PLACE void copy_to_object(bytes to, const void SPGC_MANAGED *from) {
  __builtin_memcpy(to->at, (const char SPGC_MANAGED *)from, 16); /* FOUND: copies a word */
}

static long run_copy_to_number(void) {
  copy_to_number(&chain()->next);
  return 0;
}

static long run_copy_to_bytes(void) {
  copy_to_bytes(&chain()->number);
  return 0;
}

static long run_copy_to_object(void) {
  node from = chain();
  copy_to_object(spgc_allocate_array(&bytes_type, 16), &from->number);
  return 0;
}

NOINLINE long kept_over_call(node object) {
  long bits = (long)object;
  collect();
  return bits == (long)object; /* FOUND: uses a number that it kept across a safepoint */
}

NOINLINE long passed(long number) {
  collect();
  return number;
}

static long run_kept_over_call(void) {
  return kept_over_call(chain());
}

static long run_passed(void) {
  return passed(number_of(chain())); /* FOUND: passes one to a function that may reach one */
}

static long kept_sum;

NOINLINE long kept_result(node object) {
  long number = number_of(object);
  collect();
  kept_sum += number & 4095; /* FOUND: uses a number that it kept across a safepoint */
  return kept_sum;
}

static long run_kept_result(void) {
  return kept_result(chain());
}

PLACE node made_of_number(long number) {
  return (node)number; /* FOUND: makes a reference from an integer */
}

static long run_made_of_number(void) {
  return made_of_number(number_of(chain()))->number;
}

static long (*const programs[])(void) = {
    run_union_read,     run_real_read,      run_vector_read,    run_byte_read,
    run_exchange_read,  run_pointer_read,   run_union_store,    run_global_store,
    run_pointer_store,  run_byte_store,     run_copy_to_number, run_copy_to_bytes,
    run_copy_to_object, run_kept_over_call, run_passed,         run_kept_result,
    run_made_of_number,
};

long managed_run(long n) {
  return n < (long)(sizeof programs / sizeof *programs) ? programs[n]() : -1;
}
