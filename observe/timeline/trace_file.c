#include "observe/timeline/trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "support/clock.h"

enum {
  MOST_EVENT_BYTES = 2048,
  TICKS = 64,
  TICK_MILLIONTHS = 1000000 / TICKS,
  NANOSECONDS = 1000 /* per microsecond, as the last */
};

static const char TAIL[] = "\n]}\n";

struct time_text {
  char text[32];
};

static uint64_t ticks_at(const struct spgc_trace_file *file, uint64_t ns) {
  uint64_t since = ns > file->origin_ns ? ns - file->origin_ns : 0;
  return since / NANOSECONDS * TICKS + since % NANOSECONDS * TICKS / NANOSECONDS;
}

static struct time_text describe_ticks(uint64_t ticks) {
  struct time_text time;
  snprintf(time.text, sizeof time.text, "%" PRIu64 ".%06" PRIu64, ticks / TICKS,
           ticks % TICKS * TICK_MILLIONTHS);
  return time;
}

/* ASCII only: a program's name may have any bytes. */
static void quote(char *quoted, size_t size, const char *text) {
  size_t used = 0;
  for (; *text != '\0' && used + 2 < size; text++) {
    if (*text == '"' || *text == '\\')
      quoted[used++] = '\\';
    if (*text >= ' ' && *text < 127)
      quoted[used++] = *text;
  }
  quoted[used] = '\0';
}

/* Whole events, and the closing brackets. */
static void flush_whole(struct spgc_trace_file *file) {
  struct spgc_output *output = &file->output;
  spgc_output_flush(output);
  if (output->error == 0 && !output->is_in_place &&
      pwrite(output->file, TAIL, sizeof TAIL - 1, (off_t)output->bytes) < 0)
    output->error = errno;
}

static void begin_event(struct spgc_trace_file *file) {
  if (file->output.used + MOST_EVENT_BYTES > SPGC_OUTPUT_BUFFER_BYTES)
    flush_whole(file);
  spgc_output_print(&file->output, ",\n");
}

static void write_process(struct spgc_trace_file *file) {
  char program[256];
  quote(program, sizeof program, program_invocation_short_name);
  spgc_output_print(&file->output,
                    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":1,\"clock\":"
                    "\"CLOCK_MONOTONIC\",\"begin_ns\":%" PRIu64 "},\"traceEvents\":[\n"
                    "{\"ph\":\"M\",\"cat\":\"__metadata\",\"pid\":%d,\"tid\":%d,\"ts\":0,"
                    "\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
                    file->origin_ns, file->process, SPGC_TRACE_TRACK_EVENTS, program);
}

bool spgc_trace_file_begin(struct spgc_trace_file *file, const char *path, uint64_t origin_ns) {
  file->origin_ns = origin_ns;
  file->process = getpid();
  if (!spgc_output_begin_named(&file->output, path))
    return false;
  write_process(file);
  flush_whole(file);
  return true;
}

void spgc_trace_file_name(struct spgc_trace_file *file, uint64_t track, const char *name,
                          int64_t system_thread) {
  begin_event(file);
  spgc_output_print(&file->output,
                    "{\"ph\":\"M\",\"cat\":\"__metadata\",\"pid\":%d,\"tid\":%" PRIu64
                    ",\"ts\":0,\"name\":\"thread_name\",\"args\":{\"name\":\"%s",
                    file->process, track, name);
  if (system_thread != 0)
    spgc_output_print(&file->output, " (thread %" PRId64 ")", system_thread);
  spgc_output_print(&file->output, "\"}}");
}

void spgc_trace_file_slice(struct spgc_trace_file *file, const struct spgc_trace_slice *slice,
                           const char *arguments) {
  uint64_t begin = ticks_at(file, slice->begin_ns), end = ticks_at(file, slice->end_ns);
  if (end <= begin)
    return;
  begin_event(file);
  spgc_output_print(&file->output,
                    "{\"ph\":\"X\",\"cat\":\"gc\",\"pid\":%d,\"tid\":%" PRIu64
                    ",\"ts\":%s,\"dur\":%s,\"name\":\"%s\",\"args\":{%s}}",
                    file->process, slice->track, describe_ticks(begin).text,
                    describe_ticks(end - begin).text, slice->name, arguments);
}

static void write_moment(struct spgc_trace_file *file, const char *kind, const char *name,
                         uint64_t ns, const char *arguments) {
  begin_event(file);
  spgc_output_print(&file->output,
                    "{\"ph\":%s,\"cat\":\"gc\",\"pid\":%d,\"tid\":%d,\"ts\":%s,\"name\":\"%s\","
                    "\"args\":{%s}}",
                    kind, file->process, SPGC_TRACE_TRACK_EVENTS,
                    describe_ticks(ticks_at(file, ns)).text, name, arguments);
}

void spgc_trace_file_counter(struct spgc_trace_file *file, const char *name, uint64_t ns,
                             const char *arguments) {
  write_moment(file, "\"C\"", name, ns, arguments);
}

void spgc_trace_file_instant(struct spgc_trace_file *file, const char *name, uint64_t ns,
                             const char *arguments) {
  write_moment(file, "\"i\",\"s\":\"p\"", name, ns, arguments);
}

void spgc_trace_file_rest(struct spgc_trace_file *file) {
  flush_whole(file);
}

bool spgc_trace_file_end(struct spgc_trace_file *file) {
  spgc_output_write(&file->output, TAIL, sizeof TAIL - 1);
  return spgc_output_finish(&file->output);
}
