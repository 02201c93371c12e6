/* refused: a reference is read or written at a place that is declared as a number */
/* References returned and stored as integers: from calls through pointers, unseen callers, memory,
 * and with a tag removed. A word that may be cast to a reference is read as one, even after a test
 * or choice. */
#include "spgc/managed.h"

struct holder;
typedef struct holder SPGC_MANAGED *holder;

struct holder {
  const struct spgc_type *type;
  long word, number;
};

static const uint32_t references[] = {SPGC_OFFSET(struct holder, word)};
static const struct spgc_type holder_type = {.size = sizeof(struct holder),
                                             .reference_count = 1,
                                             .reference_offsets = references,
                                             .name = "holder"};

enum { TAG = 1, GARBAGE = 2500 };

__attribute__((noinline)) static holder make(long number) {
  holder made = spgc_allocate(&holder_type);
  made->number = number;
  return made;
}

__attribute__((noinline)) static void collect(long n) {
  for (long i = 0; i < (n > 2 ? GARBAGE : 2); i++)
    make(0);
}

static holder held(holder from) {
  return *(holder SPGC_MANAGED *)&from->word; /* at: 'from' */
}

__attribute__((noinline)) static long number_in(holder in, holder other) {
  long word = in != NULL ? in->word : other->word;
  return word & TAG ? word >> 1 : ((holder)word)->number;
}

static inline __attribute__((always_inline)) long content(holder from) {
  long word = from->word;
  return word & TAG ? word >> 1 : ((holder)word)->number;
}

/* Each word is read as a number before a collection, and cast after it. */
__attribute__((noinline)) static long read_before(holder ordinary, holder atomic, holder exchanged,
                                                  long n) {
  long first = *(volatile long SPGC_MANAGED *)&ordinary->word;
  long second = __atomic_load_n(&atomic->word, __ATOMIC_ACQUIRE);
  long third = __atomic_exchange_n(&exchanged->word, 0, __ATOMIC_ACQ_REL);
  collect(n);
  return ((holder)first)->number + ((holder)second)->number + ((holder)third)->number;
}

static long address(holder object) {
  return (long)object;
}

static long tagged_address(holder object) {
  return (long)object | TAG;
}

__attribute__((noinline)) void put(holder to, long word) {
  to->word = word;
}

static long (*volatile address_of)(holder) = address;
static long (*volatile tagged_address_of)(holder) = tagged_address;
static void (*volatile put_through_pointer)(holder, long) = put;
static volatile long saved;

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    holder called = make(1), passed = make(2), kept = make(3), untagged = make(4), cast = make(5);
    holder mixed = make(6), boxed = make(7);
    collect(n);
    called->word = address_of(make(i));
    put_through_pointer(passed, (long)make(i));
    saved = (long)make(i);
    kept->word = saved;
    cast->word = (long)make(i);
    mixed->word = (long)make(i);
    boxed->word = i << 1 | TAG;
    sum += content(mixed) == i && content(boxed) == i;
    untagged->word = tagged_address_of(make(i)) & ~(long)TAG;
    collect(n);
    sum += held(called)->number == i && held(passed)->number == i;
    sum += ((holder)cast->word)->number == i;
    sum += content(mixed) == i && content(boxed) == i && mixed->word != 0;
    sum += number_in(mixed, boxed) == i && number_in(NULL, boxed) == i;
    sum += held(kept)->number == i && held(untagged)->number == i;
    sum += read_before(kept, cast, untagged, n) == 3 * i && untagged->word == 0;
  }
  return sum;
}
