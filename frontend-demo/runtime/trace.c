#include "frontend-demo/runtime/trace.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "frontend-demo/runtime/local.h"
#include "frontend-demo/runtime/object.h"
#include "frontend-demo/runtime/print.h"
#include "frontend-demo/runtime/run.h"
#include "frontend-demo/runtime/string.h"
#include "frontend-demo/runtime/unit.h"
#include "frontend-demo/runtime/value.h"
#include "spgc/handle.h"
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
  lox_write_text(trace->writer, trace->count > 0 ? "\n[line " : "[line ");
  lox_write_value(trace->writer, lox_number((double)(id & UINT32_MAX)));
  lox_write_text(trace->writer, "] in ");
  lox_write_text(trace->writer, name);
  lox_write_text(trace->writer, top_level ? "" : "()");
}

static bool is_written(const struct trace *trace, uint64_t frame) {
  return frame >= trace->from && frame < trace->to;
}

static bool see_frame(void *context, const struct spgc_frame *frame) {
  struct trace *trace = context;
  uint64_t site = frame->statepoint_id;
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
    lox_local_write(trace->writer, lox_unit_local_name(frame->statepoint_id >> 32, trace->local),
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

/* ---- Strings ---- */

/* Programs that fail at every level of a recursion make one text again and again. If each had a
 * string of its own, that garbage would cause collections, and each would walk the whole stack,
 * because frames with landing pads get no return barriers. */
enum { RECENT_TRACES = 8, LONGEST_RECENT = 4096 };

/* No slot: free. Written by the thread that runs Lox, and when the runtime stops. */
static struct spgc_handle recent[RECENT_TRACES];
static unsigned next_recent;

static bool is_text(struct spgc_ref string, const struct lox_writer *text) {
  return lox_string_length(string) == text->length && text->length > 0 &&
         memcmp(lox_string_bytes(string), text->bytes, text->length) == 0;
}

static struct spgc_ref find_recent(const struct lox_writer *text) {
  for (unsigned i = 0; i < RECENT_TRACES; i++)
    if (recent[i].slot != NULL && is_text(spgc_handle_get(recent[i]), text))
      return spgc_handle_get(recent[i]);
  return spgc_ref_null();
}

static void keep_recent(struct spgc_ref string) {
  struct spgc_handle *kept = &recent[next_recent++ % RECENT_TRACES];
  if (kept->slot == NULL)
    *kept = spgc_global_handle_make(string);
  else
    spgc_handle_set(*kept, string);
}

void lox_trace_stop(void) {
  for (unsigned i = 0; i < RECENT_TRACES; i++) {
    if (recent[i].slot != NULL)
      spgc_global_handle_release(recent[i]);
    recent[i].slot = NULL;
  }
}

struct spgc_ref lox_trace_make(void) {
  static struct lox_writer text = {.in_memory = true};
  text.length = 0;
  text.out_of_memory = false;
  write(&text, LOX_TRACE_SEEN);
  if (text.out_of_memory)
    lox_out_of_memory();
  struct spgc_ref string = find_recent(&text);
  if (!spgc_ref_is_null(string))
    return string;
  string = lox_string_make(text.bytes, text.length);
  if (text.length <= LONGEST_RECENT)
    keep_recent(string);
  return string;
}
