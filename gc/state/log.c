#include "gc/state/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gc/state/file_name.h"
#include "gc/state/write_all.h"
#include "support/cancellation.h"

struct line {
  size_t length;
  char text[1024];
};

/* The file of the log. Only `failed` is written while others log. */
static struct {
  char name[PATH_MAX];   /* empty: the log goes to standard error */
  char folder[PATH_MAX]; /* of a relative path; ends in a slash */
  char path[PATH_MAX];   /* may contain %p */
  atomic_bool failed;    /* a message has said that a line could not be written */
} file;

/* ---- Lines ---- */

static void format_line(struct line *line, const char *format, va_list arguments) {
  static const char head[] = "spgc: ";
  enum { HEAD = sizeof head - 1, SPACE = sizeof line->text - HEAD - 1 };
  memcpy(line->text, head, HEAD);
  int length = vsnprintf(line->text + HEAD, SPACE, format, arguments);
  line->length = HEAD + (length < 0 ? 0 : length < SPACE ? (size_t)length : SPACE - 1);
  line->text[line->length++] = '\n';
}

static void write_error(const struct line *line) {
  ssize_t written = write(STDERR_FILENO, line->text, line->length);
  (void)written;
}

__attribute__((format(printf, 1, 2))) static void print_error(const char *format, ...) {
  struct line line;
  va_list arguments;
  va_start(arguments, format);
  format_line(&line, format, arguments);
  va_end(arguments);
  write_error(&line);
}

/* ---- The file ---- */

/* A pipe that nobody reads is an error: opening it must not wait. Writing may. */
static int open_file(void) {
  int opened =
      open(file.name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (opened >= 0)
    fcntl(opened, F_SETFL, O_APPEND);
  return opened;
}

/* Closing the file may be the first call that reports a full disk. Returns 0 or an errno. */
static int append(const struct line *line) {
  int opened = open_file();
  if (opened < 0)
    return errno;
  int error = spgc_write_all(opened, line->text, line->length);
  if (close(opened) != 0 && errno != EINTR && error == 0)
    error = errno;
  return error;
}

static void tell_failure(int error) {
  print_error("cannot write the log to %.300s: %s: it goes to standard error", file.path,
              strerrordesc_np(error));
}

/* Returns whether the line is in the file. */
static bool write_to_file(const struct line *line) {
  if (file.name[0] == '\0')
    return false;
  int error = append(line);
  if (error != 0 && !atomic_exchange(&file.failed, true))
    tell_failure(error);
  return error == 0;
}

/* Returns false if the name is too long; the log goes to standard error then. */
static bool name_file(void) {
  char path[PATH_MAX];
  bool fits =
      spgc_file_name_expand(path, file.path) && strlen(file.folder) + strlen(path) < PATH_MAX;
  file.name[0] = '\0';
  if (fits)
    strcpy(stpcpy(file.name, file.folder), path);
  return fits;
}

/* Remembers the path. Returns 0, or an errno. */
static int set_path(const char *path) {
  if (*path == '\0' || strlen(path) >= PATH_MAX)
    return *path == '\0' ? ENOENT : ENAMETOOLONG;
  strcpy(file.path, path);
  if (*path == '/')
    return 0;
  if (getcwd(file.folder, PATH_MAX - 1) == NULL)
    return errno;
  strcat(file.folder, "/");
  return 0;
}

static int try_to_open(void) {
  int opened = open_file();
  return opened < 0 || close(opened) != 0 ? errno : 0;
}

static void return_to_standard_error(void) {
  file.name[0] = file.folder[0] = file.path[0] = '\0';
  file.failed = false;
}

void spgc_log_begin(const char *path) {
  SPGC_UNCANCELLED;
  return_to_standard_error();
  if (path == NULL)
    return;
  int error = set_path(path);
  if (error == 0)
    error = name_file() ? try_to_open() : ENAMETOOLONG;
  if (error == 0)
    return;
  tell_failure(error);
  return_to_standard_error();
}

void spgc_log_renew(void) {
  if (file.name[0] != '\0')
    name_file();
}

/* ---- The log ---- */

static void log_line(const char *format, va_list arguments, bool is_death) {
  SPGC_UNCANCELLED;
  struct line line;
  format_line(&line, format, arguments);
  if (!write_to_file(&line) || is_death)
    write_error(&line);
}

void spgc_log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log_line(format, arguments, false);
  va_end(arguments);
}

void spgc_log_death(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log_line(format, arguments, true);
  va_end(arguments);
}
