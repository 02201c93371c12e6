#include "frontend-demo/runtime/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/local.h"
#include "frontend-demo/runtime/patched_get.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "frontend-demo/runtime/unit.h"
#include "spgc/stackwalk.h"

struct trace {
  struct lox_writer *writer;
  uint64_t count;               /* number of frames met */
  uint64_t most;                /* the walk ends after this many frames */
  uint64_t from, to;            /* frames with these numbers are written as they are met */
  bool has_locals;              /* some call describes its local variables */
  uint64_t local;               /* the number of the variable whose value comes next */
  uint64_t last[LOX_TRACE_END]; /* the call site of frame number k is last[k % LOX_TRACE_END] */
};

/* Newlines separate lines. */
static void write_line(struct trace *trace, uint64_t id) {
  bool top_level;
  const char *name = lox_unit_function_name(id >> 32, &top_level);
  lox_write_format(trace->writer, "%s[line %" PRIu64 "] in %s%s", trace->count > 0 ? "\n" : "",
                   id & UINT32_MAX, name, top_level ? "" : "()");
}

static bool is_written(const struct trace *trace, uint64_t frame) {
  return frame >= trace->from && frame < trace->to;
}

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct trace *trace = context;
  uint64_t site = lox_patched_get_call_site(frame->statepoint_id);
  if (site != LOX_HIDDEN_CALL_SITE) {
    if (is_written(trace, trace->count))
      write_line(trace, site);
    trace->last[trace->count++ % LOX_TRACE_END] = site;
  }
  return trace->count < trace->most;
}

/* Called for the frame seen last: first with a variable's number, then with its value. */
static void see_local(void *context, const struct spgc_frame *frame,
                      const struct spgc_deopt_value *value) {
  struct trace *trace = context;
  trace->has_locals = true;
  if (value->index % 2 == 0)
    trace->local = value->word;
  else if (is_written(trace, trace->count - 1))
    lox_local_write(
        trace->writer,
        lox_unit_local_name(lox_patched_get_call_site(frame->statepoint_id) >> 32, trace->local),
        spgc_ref_from_word(value->word));
}

static void walk(struct trace *trace, uint64_t from, uint64_t to) {
  struct spgc_stack_visitor visitor = {.context = trace, .frame = see_frame, .deopt = see_local};
  trace->count = 0;
  trace->from = from;
  trace->to = to;
  spgc_walk_stack(lox_run_stack_base(), &visitor, NULL);
}

/* Writes the frames of `trace->count` from number `from` on. */
static void write_last(struct trace *trace, uint64_t from) {
  if (trace->has_locals)
    walk(trace, from, UINT64_MAX);
  else
    for (uint64_t k = from; k < trace->count; k++)
      write_line(trace, trace->last[k % LOX_TRACE_END]);
}

static bool write(struct lox_writer *writer, uint64_t most) {
  struct trace trace = {.writer = writer, .most = most};
  walk(&trace, 0, LOX_TRACE_END);
  if (trace.count == most) {
    lox_write_text(writer, "\n... and more calls");
    return true;
  }
  uint64_t next = LOX_TRACE_END;
  if (trace.count > UINT64_C(2) * LOX_TRACE_END) {
    next = trace.count - LOX_TRACE_END;
    lox_write_format(writer, "\n... %" PRIu64 " calls ...", next - LOX_TRACE_END);
  }
  if (next < trace.count)
    write_last(&trace, next);
  return trace.count > 0;
}

bool lox_trace_write(struct lox_writer *writer) {
  return write(writer, UINT64_MAX);
}

struct spgc_ref lox_trace_make(void) {
  static struct lox_writer writer = {.in_memory = true};
  writer.length = 0;
  writer.out_of_memory = false;
  write(&writer, LOX_TRACE_SEEN);
  if (writer.out_of_memory)
    lox_error_out_of_memory();
  return lox_string_make(writer.bytes, writer.length);
}
