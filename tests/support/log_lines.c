#include "tests/support/log_lines.h"

#include <fcntl.h>
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/assertions.h"

static char folder[32];

void log_folder_make(void) {
  strcpy(folder, "log-XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
}

void log_folder_remove(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -r %s", folder);
  ck_assert_int_eq(system(command), 0);
}

const char *log_path(const char *name) {
  static char path[64];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

const char *log_path_of(pid_t process) {
  char name[32];
  snprintf(name, sizeof name, "%d.log", process);
  return log_path(name);
}

const char *log_settings(const char *level, const char *name, const char *others) {
  static char text[128];
  snprintf(text, sizeof text, "log=%s:%s%s%s", level, log_path(name), *others != '\0' ? "," : "",
           others);
  return text;
}

int log_count(const char *path, const char *expression) {
  char line[2048];
  regex_t compiled;
  int count = 0;
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return -1;
  ck_assert_int_eq(regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB), 0);
  while (fgets(line, sizeof line, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    count += regexec(&compiled, line, 0, NULL, 0) == 0;
  }
  regfree(&compiled);
  fclose(file);
  return count;
}

static void show(const char *path) {
  char line[2048];
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL)
    fputs(line, stdout);
  if (file != NULL)
    fclose(file);
}

void log_check(const char *path, const char *expression, uint64_t expected) {
  int found = log_count(path, expression);
  if (found == (int)expected)
    return;
  show(path);
  ck_abort_msg("%d lines match \"%s\", not %" PRIu64, found, expression, expected);
}

int log_divert_errors(const char *name) {
  int before = dup(STDERR_FILENO);
  int file = open(log_path(name), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ck_assert_int_ge(file, 0);
  dup2(file, STDERR_FILENO);
  close(file);
  return before;
}

void log_restore_errors(int before) {
  dup2(before, STDERR_FILENO);
  close(before);
}
