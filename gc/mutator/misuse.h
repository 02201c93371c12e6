/* Misuse of the public functions ends the process with a message that names the call, the mistake
 * and the remedy. Generated code makes no such checks. */
#ifndef SPGC_GC_MUTATOR_MISUSE_H
#define SPGC_GC_MUTATOR_MISUSE_H

#include "gc/events/events.h"
#include "gc/mutator/mutator.h"
#include "gc/naming/code_name.h"
#include "heap/heap.h"
#include "spgc/ref.h"
#include "spgc/result.h"
#include "spgc/type.h"
#include "stackwalk/walkers.h"
#include "support/fatal.h"

_Noreturn void spgc_misuse_unattached(const char *call) __attribute__((cold));

static inline struct spgc_mutator *spgc_caller_of(const char *call) {
  struct spgc_mutator *self = spgc_mutator_current;
  if (__builtin_expect(self == NULL, 0))
    spgc_misuse_unattached(call);
  return self;
}

/* ---- Functions of the program that may not reach a safepoint, and must return ----
 *
 * Visitors of stack walks: a thread that removes code or forks waits for walks to end, and one at a
 * safepoint may wait for it. Functions of listeners: their thread may have an object that no root
 * leads to, hold the cycle, or be in a blocking region. Source finders: allocations call them for
 * such an object. */

/* The calling thread has stopped the world to fork, while earlier handlers run. */
extern _Thread_local bool spgc_is_forking __attribute__((tls_model("initial-exec")));

static inline unsigned spgc_bound_functions(void) {
  return spgc_walkers_depth() + spgc_listening + spgc_finding_source;
}

/* NULL if it may, apart from visitors of stack walks. */
static inline const char *spgc_why_not_stop(void) {
  if (spgc_is_forking)
    return "a fork handler that was registered before spgc_start must not reach a safepoint "
           "(spgc/fork.h)";
  if (spgc_listening != 0)
    return "a listener's callback must not reach a safepoint (spgc/events.h)";
  if (spgc_finding_source != 0)
    return "a source finder must not reach a safepoint (spgc/code_name.h)";
  return NULL;
}

static inline void spgc_require_may_stop(const char *call) {
  spgc_require(!spgc_walkers_is_inside(),
               "%s: a visitor of a stack walk must not reach a safepoint (spgc/stackwalk.h)", call);
  const char *why_not = spgc_why_not_stop();
  spgc_require(why_not == NULL, "%s: %s", call, why_not);
}

/* Fatal if the calling thread is not attached, or is in spgc_call_blocking. */
#define spgc_caller() spgc_caller_of(__func__)

/* A hash table; no check relies on it. Any thread writes it, with relaxed accesses. */
enum { SPGC_KNOWN_TYPES_LOGARITHM = 8 };
extern const struct spgc_type *spgc_known_types[1 << SPGC_KNOWN_TYPES_LOGARITHM];

static inline const struct spgc_type **spgc_known_type_place(const struct spgc_type *type) {
  return &spgc_known_types[((uintptr_t)type * UINT64_C(0x9E3779B97F4A7C15)) >>
                           (64 - SPGC_KNOWN_TYPES_LOGARITHM)];
}

static inline bool spgc_type_is_known(const struct spgc_type *type) {
  return __atomic_load_n(spgc_known_type_place(type), __ATOMIC_RELAXED) == type;
}

/* Fatal unless the descriptor is plausible. */
void spgc_look_at_type(const char *call, const struct spgc_type *type) __attribute__((cold));

static inline void spgc_require_type(const char *call, const struct spgc_type *type) {
  if (__builtin_expect(type == NULL || !spgc_type_is_known(type), 0))
    spgc_look_at_type(call, type);
}

/* The mistake, or NULL. */
const char *spgc_misuse_of_object(struct spgc_ref object);

/* `which` names the argument, as in "the key "; "" is the call's object. */
enum spgc_result spgc_check_object(const char *call, const char *which, struct spgc_ref object,
                                   struct spgc_error *error);

static inline enum spgc_result spgc_check_memory(bool is_granted, const char *call,
                                                 struct spgc_error *error) {
  return is_granted ? SPGC_OK
                    : spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "%s: out of memory", call);
}

#endif
