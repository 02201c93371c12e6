/* Replaces calls of runtime functions that have a fast path by the prelude's bodies. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

static const char id_attribute[] = "statepoint-id";
static const char slow_allocation[] = "spgc_allocate_slow";

static const struct expansion {
  const char *called, *body;
  bool allocates;
} expansions[] = {
    {"spgc_allocate", "spgc.allocate", true},
    {"spgc_allocate_array", "spgc.allocate_array", true},
    {"spgc_poll", "spgc.poll", false},
    {"spgc_stack_low", "spgc.stack_low", false},
};

/* The frontend's ids of allocations, in the order of a function's text. Inlining keeps that order,
 * but loses the attributes of the calls it replaces. */
struct ids {
  LLVMAttributeRef *items; /* NULL: no id */
  size_t count, capacity;
  size_t slow_count; /* slow calls after inlining */
  size_t next;       /* the id of the next slow call */
};

static void push_id(struct ids *ids, LLVMValueRef call) {
  if (ids->count == ids->capacity) {
    ids->capacity = 2 * ids->capacity + 64;
    void *larger = reallocarray((void *)ids->items, ids->capacity, sizeof *ids->items);
    spgc_require(larger != NULL, "cannot list the ids of %zu allocations: out of memory",
                 ids->capacity);
    ids->items = (LLVMAttributeRef *)larger;
  }
  ids->items[ids->count++] = LLVMGetCallSiteStringAttribute(call, IR_ON_FUNCTION, id_attribute,
                                                            (unsigned)(sizeof id_attribute - 1));
}

static const struct expansion *find_expansion(LLVMValueRef callee) {
  for (size_t i = 0; i < sizeof expansions / sizeof *expansions; i++)
    if (spgc_ir_name_is(callee, expansions[i].called))
      return &expansions[i];
  return NULL;
}

static void expand_call(LLVMValueRef call, struct ids *ids) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL)
    return;
  const struct expansion *expansion = find_expansion(callee);
  if (spgc_ir_name_is(callee, slow_allocation) || (expansion != NULL && expansion->allocates))
    push_id(ids, call);
  if (expansion != NULL)
    spgc_prelude_redirect(call, expansion->body);
}

/* Calls `visit` for every call outside the prelude's own functions. */
static void each_call(LLVMModuleRef module, void (*visit)(LLVMValueRef call, struct ids *ids),
                      struct ids *ids) {
  IR_EACH_FUNCTION (function, module)
    if (!spgc_ir_name_starts_with(function, PRELUDE_PREFIX))
      IR_EACH_BLOCK (block, function)
        IR_EACH_INSTRUCTION (instruction, block)
          if (spgc_ir_is_call(instruction))
            visit(instruction, ids);
}

static bool is_slow_allocation(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && spgc_ir_name_is(callee, slow_allocation);
}

static void count_slow_call(LLVMValueRef call, struct ids *ids) {
  ids->slow_count += is_slow_allocation(call);
}

static LLVMAttributeRef next_id(struct ids *ids) {
  spgc_require(ids->items != NULL && ids->next < ids->count,
               "more slow allocations than the %zu counted", ids->count);
  return ids->items[ids->next++];
}

static void name_slow_call(LLVMValueRef call, struct ids *ids) {
  LLVMAttributeRef id = is_slow_allocation(call) ? next_id(ids) : NULL;
  if (id != NULL)
    LLVMAddCallSiteAttribute(call, IR_ON_FUNCTION, id);
}

/* In code for another collector the calls stay, and only polls are put in line.
 *
 * A recursive function that must always be inlined is inlined once more here. Then the calls cannot
 * be matched with ids, and all keep the default id. */
enum spgc_result spgc_expand_runtime_calls(struct lowering *lowering, struct spgc_error *error) {
  struct ids ids = {0};
  if (!spgc_is_foreign(lowering))
    each_call(lowering->module, expand_call, &ids);
  spgc_run_passes(lowering, "always-inline");
  each_call(lowering->module, count_slow_call, &ids);
  if (ids.slow_count == ids.count)
    each_call(lowering->module, name_slow_call, &ids);
  free((void *)ids.items);
  return SPGC_OK;
}
