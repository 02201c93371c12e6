#include "gc/events/events.h"

#include <pthread.h>
#include <stdatomic.h>

#include "support/cancellation.h"
#include "support/futex.h"

#ifdef SPGC_HAS_PROBES
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#define PROBE(name, event) STAP_PROBE1(spgc, name, event)
#else
#define PROBE(name, event) ((void)(event))
#endif

/* Written atomically under the lock; any thread may read the list. */
static struct spgc_listener *listeners;
uint64_t spgc_heard;
_Thread_local unsigned spgc_listening;

/* The innermost lock; released before functions of listeners run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

_Static_assert(SPGC_HEARABLE <= 64, "spgc_heard has a bit for each event");

enum { FUNCTION_BYTES = sizeof(void (*)(void)) };

/* Listeners compiled against an earlier release are shorter. */
#define HEARS(listener, name)                                                                      \
  (offsetof(struct spgc_listener, name) + FUNCTION_BYTES <= (listener)->size &&                    \
   (listener)->name != NULL)

static uint64_t heard_by(const struct spgc_listener *listener) {
  uint64_t heard = 0;
#define SPGC_EVENT(name, type, when)                                                               \
  if (HEARS(listener, name))                                                                       \
    heard |= UINT64_C(1) << SPGC_HEARD_##name;
  SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT
  return heard;
}

static struct spgc_listener **link_to(const struct spgc_listener *listener) {
  struct spgc_listener **link = &listeners;
  while (*link != NULL && *link != listener)
    link = &(*link)->next;
  return link;
}

static void set_link(struct spgc_listener **link, struct spgc_listener *listener) {
  uint64_t heard = 0;
  __atomic_store_n(link, listener, __ATOMIC_SEQ_CST);
  for (const struct spgc_listener *each = listeners; each != NULL; each = each->next)
    heard |= heard_by(each);
  __atomic_store_n(&spgc_heard, heard, __ATOMIC_RELEASE);
}

bool spgc_listener_link(struct spgc_listener *listener) {
  pthread_mutex_lock(&lock);
  struct spgc_listener **link = link_to(listener);
  bool is_new = *link == NULL;
  if (is_new) {
    __atomic_store_n(&listener->next, NULL, __ATOMIC_SEQ_CST);
    set_link(link, listener);
  }
  pthread_mutex_unlock(&lock);
  return is_new;
}

bool spgc_listener_unlink(struct spgc_listener *listener) {
  pthread_mutex_lock(&lock);
  struct spgc_listener **link = link_to(listener);
  bool was_there = *link != NULL;
  if (was_there)
    set_link(link, listener->next);
  pthread_mutex_unlock(&lock);
  return was_there;
}

/* Events being delivered, except out_of_memory. Accesses to it and to the links are sequentially
 * consistent: who has removed a listener sees the delivery, or the deliverer does not find the
 * listener. */
static _Atomic uint32_t told;
static _Atomic uint32_t waiting;

static void end_to_tell(void) {
  if (atomic_fetch_sub(&told, 1) == 1 && atomic_load(&waiting) != 0)
    spgc_futex_wake(&told);
}

void spgc_listeners_wait(void) {
  uint32_t left;
  atomic_fetch_add(&waiting, 1);
  while ((left = atomic_load(&told)) != 0)
    spgc_futex_wait(&told, left);
  atomic_fetch_sub(&waiting, 1);
}

/* They may leave without returning, so nothing is held during their calls. */
#define RUNS_AS_HOOK(name) (SPGC_HEARD_##name == SPGC_HEARD_out_of_memory)

#define SPGC_EVENT(event_name, type, when)                                                         \
  volatile unsigned short spgc_##event_name##_semaphore __attribute__((section(".probes")));       \
  static void call_listeners_of_##event_name(const struct type *event) {                           \
    for (const struct spgc_listener *listener = __atomic_load_n(&listeners, __ATOMIC_SEQ_CST);     \
         listener != NULL; listener = __atomic_load_n(&listener->next, __ATOMIC_SEQ_CST))          \
      if (HEARS(listener, event_name))                                                             \
        listener->event_name(listener->context, event);                                            \
  }                                                                                                \
  void spgc_tell_##event_name(const struct type *event) {                                          \
    PROBE(event_name, event);                                                                      \
    if (RUNS_AS_HOOK(event_name)) {                                                                \
      call_listeners_of_##event_name(event);                                                       \
      return;                                                                                      \
    }                                                                                              \
    SPGC_UNCANCELLED;                                                                              \
    spgc_listening++;                                                                              \
    atomic_fetch_add(&told, 1);                                                                    \
    call_listeners_of_##event_name(event);                                                         \
    end_to_tell();                                                                                 \
    spgc_listening--;                                                                              \
  }
SPGC_EVENTS(SPGC_EVENT)
#undef SPGC_EVENT

void spgc_listeners_fork_lock(void) {
  pthread_mutex_lock(&lock);
}

void spgc_listeners_fork_unlock(bool in_child) {
  if (in_child)
    told = waiting = 0;
  pthread_mutex_unlock(&lock);
}

static const char *name_of(unsigned constant, const char *const *names, unsigned places) {
  return constant < places && names[constant] != NULL ? names[constant] : "unknown";
}

const char *spgc_reason_name(enum spgc_reason reason) {
  static const char *const names[SPGC_STATISTICS_REASONS] = {
      [SPGC_REASON_NURSERY] = "nursery", [SPGC_REASON_LARGE] = "large object",
      [SPGC_REASON_MARKING] = "marking", [SPGC_REASON_LIMIT] = "limit",
      [SPGC_REASON_RESERVE] = "reserve", [SPGC_REASON_CALL] = "call",
      [SPGC_REASON_MODULE] = "module",   [SPGC_REASON_STRESS] = "stress",
  };
  return name_of((unsigned)reason, names, SPGC_STATISTICS_REASONS);
}

const char *spgc_pause_part_name(enum spgc_pause_part part) {
  static const char *const names[SPGC_PAUSE_PART_PLACES] = {
      [SPGC_PAUSE_STOP] = "stop",       [SPGC_PAUSE_HOLD] = "hold",
      [SPGC_PAUSE_PREPARE] = "prepare", [SPGC_PAUSE_PROMOTE] = "promote",
      [SPGC_PAUSE_ROOTS] = "roots",     [SPGC_PAUSE_CARDS] = "cards",
      [SPGC_PAUSE_COPY] = "copy",       [SPGC_PAUSE_WEAK] = "weak",
      [SPGC_PAUSE_FREE] = "free",       [SPGC_PAUSE_MARK] = "mark",
      [SPGC_PAUSE_POLICY] = "policy",   [SPGC_PAUSE_VERIFY] = "verify",
  };
  return name_of((unsigned)part, names, SPGC_PAUSE_PART_PLACES);
}
