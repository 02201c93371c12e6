#include "frontend-demo/driver/driver.h"

#include <editline/readline.h>
#include <locale.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend-demo/runtime/interrupt.h"
#include "frontend-demo/syntax/scanner.h"

enum { HISTORY_LINES = 1000 };

struct lox_line_reader {
  bool is_terminal;
  char *history_path; /* NULL: the history cannot be kept */
  char *line;         /* getline's buffer */
  size_t line_capacity;
  char *entry;
  size_t length;
  size_t capacity;
  struct lox_lines lines;
};

static _Noreturn void out_of_memory(void) {
  fputs("lox: out of memory\n", stderr);
  exit(70);
}

static char *history_path(void) {
  const char *state = getenv("XDG_STATE_HOME");
  const char *home = getenv("HOME");
  bool has_state = state && *state;
  if (!has_state && !(home && *home))
    return NULL;
  if (has_state)
    mkdir(state, 0700); /* the mode is XDG's; a failure shows when the history is written */
  char *path;
  if (asprintf(&path, "%s/%s", has_state ? state : home,
               has_state ? "lox_history" : ".lox_history") < 0)
    out_of_memory();
  return path;
}

static void load_history(struct lox_line_reader *reader) {
  using_history();
  stifle_history(HISTORY_LINES);
  if (reader->history_path && access(reader->history_path, F_OK) == 0 &&
      read_history(reader->history_path) != 0)
    fprintf(stderr, "lox: cannot read the history \"%s\"\n", reader->history_path);
}

/* Writes after every line, in case the session ends early. */
static void remember(struct lox_line_reader *reader, const char *line) {
  if (line[strspn(line, " \t")] == '\0')
    return;
  add_history(line);
  if (!reader->history_path || write_history(reader->history_path) == 0)
    return;
  fprintf(stderr, "lox: the history is not kept: cannot write \"%s\"\n", reader->history_path);
  free(reader->history_path);
  reader->history_path = NULL;
}

struct lox_line_reader *lox_line_reader_create(void) {
  struct lox_line_reader *reader = calloc(1, sizeof *reader);
  if (!reader)
    out_of_memory();
  reader->is_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
  if (reader->is_terminal) {
    setlocale(LC_CTYPE, "");
    rl_readline_name = "lox";
    rl_bind_key('\t', rl_insert); /* does not complete file names, because text may be pasted */
    reader->history_path = history_path();
    load_history(reader);
  }
  return reader;
}

void lox_line_reader_destroy(struct lox_line_reader *reader) {
  free(reader->history_path);
  free(reader->line);
  free(reader->entry);
  free(reader);
}

static void begin_entry(struct lox_line_reader *reader) {
  reader->length = 0;
  reader->lines = (struct lox_lines){0};
}

static void append(struct lox_line_reader *reader, const char *bytes, size_t length) {
  size_t needed = reader->length + length + 1;
  if (needed > reader->capacity) {
    reader->capacity = 2 * needed;
    char *grown = realloc(reader->entry, reader->capacity);
    if (!grown)
      out_of_memory();
    reader->entry = grown;
  }
  memcpy(reader->entry + reader->length, bytes, length);
  reader->length += length;
  reader->entry[reader->length] = '\0';
}

static sigjmp_buf entry_abandoned;

static void abandon_entry(int signal) {
  (void)signal;
  siglongjmp(entry_abandoned, 1);
}

/* Returns readline's result; after control-C an empty line, so that the entry starts again.
 * libedit's handler restores the terminal before it passes the signal on. */
static char *edit_line(struct lox_line_reader *reader) {
  static struct sigaction outside;
  char *line;
  if (sigsetjmp(entry_abandoned, 1) == 0) {
    const struct sigaction action = {.sa_handler = abandon_entry};
    sigaction(SIGINT, &action, &outside);
    line = readline(reader->length == 0 ? "> " : "| ");
  } else {
    putchar('\n');
    begin_entry(reader);
    line = strdup("");
  }
  sigaction(SIGINT, &outside, NULL);
  return line;
}

static bool read_edited_line(struct lox_line_reader *reader) {
  fflush(stdout);
  char *line = edit_line(reader);
  if (!line)
    return false;
  remember(reader, line);
  append(reader, line, strlen(line));
  append(reader, "\n", 1);
  free(line);
  return true;
}

static bool read_plain_line(struct lox_line_reader *reader) {
  FILE *input = lox_input();
  if (input == NULL)
    out_of_memory();
  ssize_t length = getline(&reader->line, &reader->line_capacity, input);
  if (length < 0)
    return false;
  append(reader, reader->line, (size_t)length);
  return true;
}

bool lox_line_reader_next(struct lox_line_reader *reader, struct lox_string *entry) {
  begin_entry(reader);
  do {
    bool is_read = reader->is_terminal ? read_edited_line(reader) : read_plain_line(reader);
    if (!is_read)
      break;
  } while (
      !lox_lines_are_complete(&reader->lines, (struct lox_string){reader->entry, reader->length}));
  *entry = (struct lox_string){reader->entry, reader->length};
  return reader->length > 0;
}
