#include "frontend-demo/runtime/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/unit.h"
#include "spgc/stackwalk.h"

struct trace {
  FILE *file;
  uint64_t count;
  uint64_t last[LOX_TRACE_END]; /* call site of frame number k in last[k % LOX_TRACE_END] */
};

static void print_call_site(FILE *file, uint64_t id) {
  bool top_level;
  const char *name = lox_unit_function_name(id >> 32, &top_level);
  fprintf(file, "[line %" PRIu64 "] in %s%s\n", id & UINT32_MAX, name, top_level ? "" : "()");
}

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct trace *trace = context;
  if (frame->statepoint_id != LOX_HIDDEN_CALL_SITE) {
    if (trace->count < LOX_TRACE_END)
      print_call_site(trace->file, frame->statepoint_id);
    trace->last[trace->count++ % LOX_TRACE_END] = frame->statepoint_id;
  }
  return true;
}

void lox_trace_print(FILE *file) {
  struct trace trace = {.file = file};
  struct spgc_stack_visitor visitor = {.context = &trace, .frame = see_frame};
  spgc_walk_stack(lox_run_stack_base(), &visitor, NULL);
  uint64_t next = LOX_TRACE_END;
  if (trace.count > UINT64_C(2) * LOX_TRACE_END) {
    next = trace.count - LOX_TRACE_END;
    fprintf(file, "... %" PRIu64 " calls ...\n", next - LOX_TRACE_END);
  }
  for (; next < trace.count; next++)
    print_call_site(file, trace.last[next % LOX_TRACE_END]);
}
