#ifndef LOX_RUNTIME_NATIVE_H
#define LOX_RUNTIME_NATIVE_H

#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

struct lox_native {
  struct lox_type type;
  const char *name;
};

/* Nothing if there is none. */
struct spgc_ref lox_native_value(const char *text, uint64_t length);

#define LOX_NATIVE_PARAMETERS_0 struct spgc_ref
#define LOX_NATIVE_PARAMETERS_1 LOX_NATIVE_PARAMETERS_0, struct spgc_ref
#define LOX_NATIVE_PARAMETERS_2 LOX_NATIVE_PARAMETERS_1, struct spgc_ref
#define LOX_NATIVE_PARAMETERS_3 LOX_NATIVE_PARAMETERS_2, struct spgc_ref
#define LOX_DECLARE_NATIVE(enumerator, name, arity, result)                                        \
  struct spgc_ref lox_native_##name(LOX_NATIVE_PARAMETERS_##arity);
LOX_NATIVES(LOX_DECLARE_NATIVE)
#undef LOX_DECLARE_NATIVE

/* ---- on_collect ---- */

/* Calls the functions for dead objects not reported yet. Lox code runs. */
void lox_weak_report_dead(void);

/* Since the runtime was started. */
bool lox_weak_has_reports(void);

/* Reports all remaining objects, after the program has ended. Lox code runs. Returns 0. */
int lox_weak_report_all(void *context);

#endif
