#ifndef SPGC_TOOLS_HEAP_COMMAND_H
#define SPGC_TOOLS_HEAP_COMMAND_H

#include <stdint.h>

enum exit_status { EXIT_DONE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* `words` begins with the command's name. */
typedef enum exit_status command_run(int count, char **words);

command_run command_diff, command_profile, command_report, command_top, command_why;

/* `format` may have one %s. */
_Noreturn void fail_usage(const char *format, const char *detail);

/* getopt_long has reported an option. */
_Noreturn void fail_option(void);

/* Prints "spgc-heap: PATH: message", with unprintable bytes of the path escaped. Returns
 * EXIT_REFUSED. */
enum exit_status report(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* An option's number, at least 1; exits otherwise. */
uint32_t option_count(const char *option, const char *word);

#endif
