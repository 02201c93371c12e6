#include <stddef.h>
#include <unwind.h>

#include "spgc/exception.h"
#include "stackwalk/landing_pad.h"
#include "stackwalk/personality.h"

/* Written by a thread before it enters a landing pad, which reads it. */
static _Thread_local struct _Unwind_Exception *entered_for
    __attribute__((tls_model("initial-exec")));

struct _Unwind_Exception *spgc_exception(void) {
  return entered_for;
}

void spgc_personality_note(struct _Unwind_Exception *exception) {
  entered_for = exception;
}

static struct landing_pad find_pad(struct _Unwind_Context *context) {
  const uint8_t *table = (const uint8_t *)(uintptr_t)_Unwind_GetLanguageSpecificData(context);
  if (table == NULL)
    return (struct landing_pad){0};
  return spgc_find_landing_pad(table, _Unwind_GetRegionStart(context), _Unwind_GetIP(context) - 1);
}

int spgc_personality(int version, int actions, uint64_t exception_class,
                     struct _Unwind_Exception *exception, struct _Unwind_Context *context) {
  if (version != 1)
    return actions & _UA_SEARCH_PHASE ? _URC_FATAL_PHASE1_ERROR : _URC_FATAL_PHASE2_ERROR;
  struct landing_pad pad = find_pad(context);
  /* pthread_exit and cancellation force the unwinding, which nothing may end. */
  bool is_passed = pad.catches && (actions & _UA_FORCE_UNWIND) != 0;
  if (pad.address == 0 || is_passed)
    return _URC_CONTINUE_UNWIND;
  if (actions & _UA_SEARCH_PHASE)
    return pad.catches ? _URC_HANDLER_FOUND : _URC_CONTINUE_UNWIND;
  spgc_personality_note(exception);
  _Unwind_SetIP(context, pad.address);
  return _URC_INSTALL_CONTEXT;
}
