#include "spgc/protect.h"

#include <stddef.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "stackwalk/protected_call.h"
#include "support/fatal.h"

struct spgc_protection {
  struct protected_call call;     /* first: the chain leads to it */
  struct blocking_region *region; /* at the call's begin, as the rest; or NULL */
  size_t handles;                 /* of the handle stack */
  uint32_t blocking_calls;
  unsigned bound_functions; /* running visitors, listeners and source finders */
};

_Static_assert(offsetof(struct spgc_protection, call) == 0, "a protection is where its call is");

void *spgc_protect(void *(*function)(void *argument), void *argument, bool *was_left) {
  spgc_require_use(function != NULL, "no function is given");
  const struct spgc_mutator *mutator = spgc_mutator_attached;
  struct spgc_protection protection = {.region = spgc_blocking_region(),
                                       .handles = mutator != NULL ? mutator->handles.height : 0,
                                       .blocking_calls =
                                           mutator != NULL ? mutator->blocking_calls : 0,
                                       .bound_functions = spgc_bound_functions()};
  void *value;
  bool left = spgc_protected_call_make(&protection.call, function, argument, &value);
  if (was_left != NULL)
    *was_left = left;
  return value;
}

struct spgc_protection *spgc_protection(void) {
  return (struct spgc_protection *)spgc_protected_call_innermost();
}

static void require_active(const struct spgc_protection *protection) {
  const struct protected_call *call = spgc_protected_call_innermost();
  while (call != NULL && call != &protection->call)
    call = call->outer;
  spgc_require(call != NULL,
               "spgc_leave: the protected call %p has ended, or belongs to another thread or fiber",
               (const void *)protection);
}

/* Handles can be closed only while the thread runs, as between two regions. */
_Noreturn void spgc_leave(struct spgc_protection *protection, void *value) {
  if (protection == NULL)
    protection = spgc_protection();
  spgc_require(protection != NULL, "spgc_leave: there is no spgc_protect to leave");
  require_active(protection);
  /* Leaving them would lose the collector's work around them. */
  spgc_require(spgc_bound_functions() == protection->bound_functions,
               "spgc_leave: a visitor of a stack walk, a listener's callback and a source finder "
               "must end by returning");
  bool changes_region = spgc_blocking_region() != protection->region;
  if (changes_region) {
    spgc_require_may_stop(__func__);
    if (spgc_blocking_region() != NULL)
      spgc_blocking_end(spgc_blocking_region());
  }
  if (spgc_mutator_current != NULL && protection->handles < spgc_mutator_current->handles.height)
    spgc_scope_close((struct spgc_scope){protection->handles});
  if (spgc_mutator_attached != NULL)
    spgc_mutator_attached->blocking_calls = protection->blocking_calls;
  if (changes_region && protection->region != NULL)
    spgc_blocking_go_back(protection->region);
  spgc_protected_call_leave(&protection->call, value);
}
