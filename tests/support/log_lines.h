#ifndef SPGC_TESTS_LOG_LINES_H
#define SPGC_TESTS_LOG_LINES_H

#include <stdint.h>
#include <sys/types.h>

void log_folder_make(void);
void log_folder_remove(void);

/* A file in the folder, or "N.log" for process N. Valid until the next call. */
const char *log_path(const char *name);
const char *log_path_of(pid_t process);

/* "log=LEVEL:FOLDER/NAME" and other settings. Valid until the next call. */
const char *log_settings(const char *level, const char *name, const char *others);

/* Lines that match; -1 if there is no file. */
int log_count(const char *path, const char *expression);

void log_check(const char *path, const char *expression, uint64_t expected);

int log_divert_errors(const char *name);
void log_restore_errors(int before);

#define LOG_MS "[0-9]+\\.[0-9]{3}"
#define LOG_OUTCOME "(minor|final-mark|partial final-mark|full|in-place full)"
#define LOG_REASON "(nursery|large object|marking|limit|reserve|call|module|snapshot|stress)"
#define LOG_COLLECTION(outcome, reason)                                                            \
  "^spgc: " outcome " collection [0-9]+ \\(" reason "\\) at " LOG_MS                               \
  " s: [0-9]+ KiB -> [0-9]+ KiB, moved [0-9]+ objects \\([0-9]+ bytes\\)"                          \
  "(, promoted in place)?, [0-9]+ frames, stop " LOG_MS " ms, pause " LOG_MS                       \
  " ms: ([a-z]+ " LOG_MS "(, [a-z]+ " LOG_MS ")*)?$"
#define LOG_ANY_COLLECTION LOG_COLLECTION(LOG_OUTCOME, LOG_REASON)
#define LOG_SUMMARY "^spgc: summary: "

#endif
