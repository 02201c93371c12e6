#include "support/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cancellation.h"
#include "support/file_name.h"
#include "support/write_all.h"

struct line {
  size_t length;
  char text[1024];
};

/* Never freed, because a thread may be writing a line. The first members are constant once the file
 * is chosen. */
struct file {
  struct file *next;
  char name[PATH_MAX];
  char folder[PATH_MAX]; /* a relative path's, with a slash at the end; or empty */
  char path[PATH_MAX];
  atomic_bool failed;
};

static struct file *files;             /* written by the thread that begins the log */
static _Atomic(struct file *) present; /* NULL: standard error */

static void format_line(struct line *line, const char *format, va_list arguments) {
  static const char head[] = "spgc: ";
  enum { HEAD = sizeof head - 1, SPACE = sizeof line->text - HEAD - 1 };
  memcpy(line->text, head, HEAD);
  int length = vsnprintf(line->text + HEAD, SPACE, format, arguments);
  line->length = HEAD + (length < 0 ? 0 : length < SPACE ? (size_t)length : SPACE - 1);
  line->text[line->length++] = '\n';
}

static void write_error(const struct line *line) {
  spgc_write_all(STDERR_FILENO, line->text, line->length);
}

__attribute__((format(printf, 1, 2))) static void print_error(const char *format, ...) {
  struct line line;
  va_list arguments;
  va_start(arguments, format);
  format_line(&line, format, arguments);
  va_end(arguments);
  write_error(&line);
}

/* Opening a pipe without a reader must not wait; writing may. */
static int open_file(const struct file *file) {
  int opened =
      open(file->name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
  if (opened >= 0)
    fcntl(opened, F_SETFL, O_APPEND);
  return opened;
}

/* Closing may be the first call that reports a full disk. */
static int append(const struct file *file, const struct line *line) {
  int opened = open_file(file);
  if (opened < 0)
    return errno;
  int error = spgc_write_all(opened, line->text, line->length);
  if (close(opened) != 0 && errno != EINTR && error == 0)
    error = errno;
  return error;
}

static void tell_failure(const char *path, int error) {
  print_error("cannot write the log to %.300s: %s: it goes to standard error", path,
              strerrordesc_np(error));
}

static bool write_to_file(const struct line *line) {
  struct file *file = atomic_load(&present);
  if (file == NULL)
    return false;
  int error = append(file, line);
  if (error != 0 && !atomic_exchange(&file->failed, true))
    tell_failure(file->path, error);
  return error == 0;
}

static bool name_file(struct file *file) {
  char name[PATH_MAX];
  bool fits = spgc_file_name_expand(name, file->path) &&
              strlen(file->folder) + strlen(name) < sizeof file->name;
  if (fits)
    strcpy(stpcpy(file->name, file->folder), name);
  return fits;
}

static int set_path(struct file *file, const char *path) {
  if (*path == '\0' || strlen(path) >= PATH_MAX)
    return *path == '\0' ? ENOENT : ENAMETOOLONG;
  strcpy(file->path, path);
  file->folder[0] = '\0';
  if (*path == '/')
    return 0;
  if (getcwd(file->folder, PATH_MAX - 1) == NULL)
    return errno;
  strcat(file->folder, "/");
  return 0;
}

static int try_to_open(const struct file *file) {
  int opened = open_file(file);
  return opened < 0 || close(opened) != 0 ? errno : 0;
}

static bool is_same(const struct file *one, const struct file *other) {
  return strcmp(one->name, other->name) == 0 && strcmp(one->folder, other->folder) == 0 &&
         strcmp(one->path, other->path) == 0;
}

/* An equal file of an earlier heap, or a copy. NULL if out of memory. */
static struct file *keep(const struct file *file) {
  struct file *kept = files;
  while (kept != NULL && !is_same(kept, file))
    kept = kept->next;
  if (kept != NULL)
    return kept;
  kept = malloc(sizeof *kept);
  if (kept == NULL)
    return NULL;
  memcpy(kept, file, sizeof *kept);
  kept->next = files;
  return files = kept;
}

static int choose(const struct file *file) {
  struct file *kept = keep(file);
  if (kept == NULL)
    return ENOMEM;
  atomic_store(&kept->failed, false);
  atomic_store(&present, kept);
  return 0;
}

/* Of the thread that begins the log. */
static struct file candidate;

static int begin(const char *path) {
  int error = set_path(&candidate, path);
  if (error == 0)
    error = name_file(&candidate) ? try_to_open(&candidate) : ENAMETOOLONG;
  return error != 0 ? error : choose(&candidate);
}

void spgc_log_begin(const char *path) {
  SPGC_UNCANCELLED;
  int error = path != NULL ? begin(path) : 0;
  if (path == NULL || error != 0)
    atomic_store(&present, NULL);
  if (error != 0)
    tell_failure(path, error);
}

void spgc_log_renew(void) {
  const struct file *file = atomic_load(&present);
  if (file == NULL || !spgc_file_name_has_process(file->path))
    return;
  memcpy(&candidate, file, sizeof candidate);
  if (!name_file(&candidate) || choose(&candidate) != 0)
    atomic_store(&present, NULL);
}

static void log_line(const char *format, va_list arguments, bool is_aloud) {
  SPGC_UNCANCELLED;
  struct line line;
  format_line(&line, format, arguments);
  if (!write_to_file(&line) || is_aloud)
    write_error(&line);
}

void spgc_log(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log_line(format, arguments, false);
  va_end(arguments);
}

void spgc_log_aloud(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  log_line(format, arguments, true);
  va_end(arguments);
}
