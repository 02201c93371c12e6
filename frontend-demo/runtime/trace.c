#include "frontend-demo/runtime/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/patched_get.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "frontend-demo/runtime/unit.h"
#include "spgc/stackwalk.h"

struct trace {
  struct lox_writer *writer;
  uint64_t count;
  uint64_t last[LOX_TRACE_END]; /* call site of frame number k in last[k % LOX_TRACE_END] */
};

/* Lines are separated by newlines. */
static void write_line(struct trace *trace, uint64_t id) {
  bool top_level;
  const char *name = lox_unit_function_name(id >> 32, &top_level);
  lox_write_format(trace->writer, "%s[line %" PRIu64 "] in %s%s", trace->count > 0 ? "\n" : "", id & UINT32_MAX, name,
                   top_level ? "" : "()");
}

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct trace *trace = context;
  uint64_t site = lox_patched_get_call_site(frame->statepoint_id);
  if (site != LOX_HIDDEN_CALL_SITE) {
    if (trace->count < LOX_TRACE_END)
      write_line(trace, site);
    trace->last[trace->count++ % LOX_TRACE_END] = site;
  }
  return true;
}

bool lox_trace_write(struct lox_writer *writer) {
  struct trace trace = {.writer = writer};
  struct spgc_stack_visitor visitor = {.context = &trace, .frame = see_frame};
  spgc_walk_stack(lox_run_stack_base(), &visitor, NULL);
  uint64_t next = LOX_TRACE_END;
  if (trace.count > UINT64_C(2) * LOX_TRACE_END) {
    next = trace.count - LOX_TRACE_END;
    lox_write_format(writer, "\n... %" PRIu64 " calls ...", next - LOX_TRACE_END);
  }
  for (; next < trace.count; next++)
    write_line(&trace, trace.last[next % LOX_TRACE_END]);
  return trace.count > 0;
}

struct spgc_ref lox_trace_make(void) {
  static struct lox_writer writer = {.in_memory = true};
  writer.length = 0;
  writer.out_of_memory = false;
  lox_trace_write(&writer);
  if (writer.out_of_memory)
    lox_error_out_of_memory();
  return lox_string_make(writer.bytes, writer.length);
}
