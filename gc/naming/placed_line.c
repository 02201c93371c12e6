#include "gc/naming/placed_line.h"

#include <pthread.h>
#include <string.h>

#include "gc/naming/code_line.h"
#include "gc/state/locks.h"
#include "support/collector_thread.h"
#include "support/log.h"

enum { MOST_WAITING = 8 };

typedef void describer(const struct spgc_code_place *place, char *text, size_t size);

struct description {
  char text[440];
};

static struct description describe(const struct spgc_placed_line *line, describer *describe_place) {
  struct description description = {""};
  if (line->has_place)
    describe_place(&line->place, description.text, sizeof description.text);
  return description;
}

static void write_line(const struct spgc_placed_line *line, const struct description *description) {
  (line->is_urgent ? spgc_log_aloud : spgc_log)("%s%s%s", line->before, description->text,
                                                line->after);
}

static void log_without_source(const struct spgc_placed_line *line) {
  struct description description = describe(line, spgc_code_describe);
  write_line(line, &description);
}

/* Under SPGC_LOCK_PLACED_LINES. */
static struct {
  struct spgc_placed_line waiting[MOST_WAITING]; /* oldest first */
  unsigned count;
  uint64_t taken;   /* from the front */
  bool has_logger;  /* a thread will look for more */
  bool is_joinable; /* the last thread was not joined */
  pthread_t logger;
  bool exits;
} lines;

static void take_first(void) {
  lines.taken++;
  memmove(lines.waiting, lines.waiting + 1, --lines.count * sizeof *lines.waiting);
}

/* The line stays in the queue until its source line is found; an exit logs it without one. */
static void log_first(bool has_own_files) {
  struct spgc_placed_line line = lines.waiting[0];
  uint64_t number = lines.taken;
  spgc_unlock(SPGC_LOCK_PLACED_LINES);
  if (line.loads_reader)
    spgc_code_lines_load();
  struct description description =
      describe(&line, has_own_files ? spgc_code_describe_line : spgc_code_describe);
  spgc_lock(SPGC_LOCK_PLACED_LINES);
  if (lines.taken != number)
    return;
  take_first();
  write_line(&line, &description);
}

static void *log_waiting(void *unused) {
  bool has_own_files = spgc_line_thread_own_descriptors() == 0;
  SPGC_LOCKED(SPGC_LOCK_PLACED_LINES);
  while (lines.count != 0)
    log_first(has_own_files);
  lines.has_logger = false;
  return unused;
}

static bool is_left_to_logger(const struct spgc_placed_line *line) {
  SPGC_LOCKED(SPGC_LOCK_PLACED_LINES);
  bool has_source = line->has_place && line->place.file[0] != '\0' &&
                    (line->loads_reader || spgc_code_lines_exist());
  if (!has_source || lines.exits || lines.count == MOST_WAITING)
    return false;
  if (!lines.has_logger) {
    if (lines.is_joinable)
      pthread_join(lines.logger, NULL); /* it has no more work */
    lines.is_joinable = lines.has_logger =
        spgc_collector_thread_start(&lines.logger, "spgc-log", SPGC_READER_STACK_BYTES, log_waiting,
                                    NULL) == 0;
  }
  if (lines.has_logger)
    lines.waiting[lines.count++] = *line;
  return lines.has_logger;
}

void spgc_placed_line_log(const struct spgc_placed_line *line) {
  if (!is_left_to_logger(line))
    log_without_source(line);
}

__attribute__((destructor)) static void log_the_rest(void) {
  SPGC_LOCKED(SPGC_LOCK_PLACED_LINES);
  lines.exits = true;
  for (; lines.count != 0; take_first())
    log_without_source(&lines.waiting[0]);
}

void spgc_placed_lines_finish(void) {
  spgc_lock(SPGC_LOCK_PLACED_LINES);
  bool is_joinable = lines.is_joinable;
  pthread_t logger = lines.logger;
  lines.is_joinable = false;
  spgc_unlock(SPGC_LOCK_PLACED_LINES);
  if (is_joinable)
    pthread_join(logger, NULL);
}

void spgc_placed_lines_forget(void) {
  lines.count = 0;
  lines.has_logger = lines.is_joinable = false;
}
