/* Reads of properties as calls that the runtime redirects (runtime/abi.h). */
#include <inttypes.h>
#include <stdio.h>

#include "frontend-demo/emit/cache.h"
#include "frontend-demo/emit/emitter.h"

/* Returns the site's number. */
static uint32_t add_site(struct lox_unit_emitter *unit, LLVMValueRef record) {
  struct lox_patched_site *site = lox_arena_allocate(unit->arena, sizeof *site);
  *site = (struct lox_patched_site){.record = record, .next = unit->patched_gets};
  unit->patched_gets = site;
  return unit->patched_get_count++;
}

static void set_attribute(struct lox_emitter *emitter, LLVMValueRef call, const char *name,
                          uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, value);
  LLVMAddCallSiteAttribute(call, LOX_ON_THE_FUNCTION,
                           lox_abi_string_attribute(emitter->abi, name, text));
}

struct lox_value lox_emit_patched_get(struct lox_emitter *emitter,
                                      const struct lox_expression *expression,
                                      LLVMValueRef object) {
  LLVMValueRef site = lox_make_patched_get(emitter, expression->get.name, expression->line);
  LLVMValueRef arguments[] = {object, site};
  LLVMValueRef call = lox_call_runtime(emitter, expression->line, LOX_ENTRY_GET_PATCHED, arguments);
  set_attribute(emitter, call, "statepoint-id", LOX_PATCHED_GET | add_site(emitter->unit, site));
  set_attribute(emitter, call, "statepoint-num-patch-bytes", LOX_PATCHED_BYTES);
  return lox_any(call);
}
