#include "frontend-demo/runtime/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "frontend-demo/runtime/value.h"
#include "spgc/handle.h"
#include "spgc/stackwalk.h"

struct trace {
  struct lox_writer *writer;
  uint64_t count;               /* frames met */
  uint64_t most;                /* the walk ends there */
  uint64_t last[LOX_TRACE_END]; /* the call site of frame number k is last[k % LOX_TRACE_END] */
};

static void write_line(struct trace *trace, uint64_t number, uint64_t id) {
  bool top_level;
  const char *name = lox_unit_function_name(id >> 32, &top_level);
  lox_write_text(trace->writer, number > 0 ? "\n[line " : "[line ");
  lox_write_value(trace->writer, lox_number((double)(id & UINT32_MAX)));
  lox_write_text(trace->writer, "] in ");
  lox_write_text(trace->writer, name);
  lox_write_text(trace->writer, top_level ? "" : "()");
}

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct trace *trace = context;
  uint64_t site = frame->statepoint_id;
  if (site != LOX_HIDDEN_CALL_SITE) {
    if (trace->count < LOX_TRACE_END)
      write_line(trace, trace->count, site);
    trace->last[trace->count++ % LOX_TRACE_END] = site;
  }
  return trace->count < trace->most;
}

static bool write_calls(struct lox_writer *writer, uint64_t most) {
  struct trace trace = {.writer = writer, .most = most};
  struct spgc_stack_visitor visitor = {.context = &trace, .frame = see_frame};
  spgc_walk_stack(lox_run_stack_base(), &visitor, NULL);
  if (trace.count == most) {
    lox_write_text(writer, "\n... and more calls");
    return true;
  }
  uint64_t next = LOX_TRACE_END;
  if (trace.count > UINT64_C(2) * LOX_TRACE_END) {
    next = trace.count - LOX_TRACE_END;
    lox_write_text(writer, "\n... ");
    lox_write_value(writer, lox_number((double)(next - LOX_TRACE_END)));
    lox_write_text(writer, " calls ...");
  }
  for (; next < trace.count; next++)
    write_line(&trace, next, trace.last[next % LOX_TRACE_END]);
  return trace.count > 0;
}

bool lox_trace_write(struct lox_writer *writer) {
  return write_calls(writer, UINT64_MAX);
}

struct spgc_ref lox_trace_make(void) {
  static struct lox_writer text = {.in_memory = true};
  text.length = 0;
  text.out_of_memory = false;
  write_calls(&text, LOX_TRACE_SEEN);
  if (text.out_of_memory)
    lox_out_of_memory();
  return lox_string_make(text.bytes, text.length);
}
