#include "gc/naming/placed_line.h"

#include <pthread.h>

#include "gc/naming/code_line.h"
#include "gc/state/locks.h"
#include "support/collector_thread.h"
#include "support/log.h"

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
  struct spgc_placed_line line; /* constant while it waits */
  bool has_line;                /* `line` waits for its source line, which the logger finds */
  bool is_joinable;             /* the last logger was not joined */
  pthread_t logger;
  bool exits;
} waiting;

/* An exit logs the line without its source line. */
static void *log_waiting(void *unused) {
  bool has_own_files = spgc_line_thread_own_descriptors() == 0;
  if (waiting.line.loads_reader)
    spgc_code_lines_load();
  const struct description description =
      describe(&waiting.line, has_own_files ? spgc_code_describe_line : spgc_code_describe);
  SPGC_LOCKED(SPGC_LOCK_PLACED_LINES);
  if (waiting.has_line)
    write_line(&waiting.line, &description);
  waiting.has_line = false;
  return unused;
}

/* Not if another line waits. */
static bool is_left_to_logger(const struct spgc_placed_line *line) {
  SPGC_LOCKED(SPGC_LOCK_PLACED_LINES);
  bool has_source = line->has_place && line->place.file[0] != '\0' &&
                    (line->loads_reader || spgc_code_lines_exist());
  if (!has_source || waiting.exits || waiting.has_line)
    return false;
  if (waiting.is_joinable)
    pthread_join(waiting.logger, NULL); /* it has no more work */
  waiting.line = *line;
  waiting.is_joinable = waiting.has_line =
      spgc_collector_thread_start(&waiting.logger, "spgc-log", SPGC_READER_STACK_BYTES, log_waiting,
                                  NULL) == 0;
  return waiting.has_line;
}

void spgc_placed_line_log(const struct spgc_placed_line *line) {
  if (!is_left_to_logger(line))
    log_without_source(line);
}

__attribute__((destructor)) static void log_the_rest(void) {
  SPGC_LOCKED(SPGC_LOCK_PLACED_LINES);
  waiting.exits = true;
  if (waiting.has_line)
    log_without_source(&waiting.line);
  waiting.has_line = false;
}

void spgc_placed_lines_finish(void) {
  spgc_lock(SPGC_LOCK_PLACED_LINES);
  bool is_joinable = waiting.is_joinable;
  pthread_t logger = waiting.logger;
  waiting.is_joinable = false;
  spgc_unlock(SPGC_LOCK_PLACED_LINES);
  if (is_joinable)
    pthread_join(logger, NULL);
}

void spgc_placed_lines_forget(void) {
  waiting.has_line = waiting.is_joinable = false;
}
