#include "stackwalk/protected_call.h"

#include <unwind.h>

#include "stackwalk/left_frames.h"
#include "stackwalk/shadow_stack.h"
#include "support/fatal.h"

static _Thread_local struct protected_call *innermost __attribute__((tls_model("initial-exec")));

struct ended_call {
  void *value;
  uintptr_t was_left;
};

struct ended_call spgc_protected_call_start(void *(*function)(void *argument), void *argument,
                                            struct protected_call *call);
_Noreturn void spgc_protected_call_end(struct protected_call *call, void *value);

struct protected_call *spgc_protected_call_innermost(void) {
  return innermost;
}

void spgc_protected_call_set_innermost(struct protected_call *call) {
  innermost = call;
}

bool spgc_protected_call_make(struct protected_call *call, void *(*function)(void *argument),
                              void *argument, void **value) {
  call->outer = innermost;
  innermost = call;
  struct ended_call ended = spgc_protected_call_start(function, argument, call);
  spgc_require(
      innermost == call,
      "a protected call ends although a call inside it was left by longjmp: use spgc_leave");
  innermost = call->outer;
  *value = ended.value;
  return ended.was_left != 0;
}

_Noreturn void spgc_protected_call_leave(struct protected_call *call, void *value) {
  spgc_require(!spgc_shadow_stack_is_on(),
               "a protected call cannot be left: " SPGC_SHADOW_STACK_REMEDY);
  innermost = call;
  spgc_frames_left(call->stack_pointer);
  spgc_protected_call_end(call, value);
}

/* In a personality, both unwinders give the frame's stack pointer as the canonical frame
 * address. */
int spgc_protected_call_personality(int version, int actions, uint64_t exception_class,
                                    struct _Unwind_Exception *exception,
                                    struct _Unwind_Context *context) {
  if (version != 1)
    return actions & _UA_SEARCH_PHASE ? _URC_FATAL_PHASE1_ERROR : _URC_FATAL_PHASE2_ERROR;
  if ((actions & _UA_SEARCH_PHASE) == 0)
    innermost = protected_call_of_frame((uintptr_t)_Unwind_GetCFA(context))->outer;
  return _URC_CONTINUE_UNWIND;
}
