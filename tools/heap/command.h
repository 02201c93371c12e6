/* The commands of spgc-heap. */
#ifndef SPGC_TOOLS_HEAP_COMMAND_H
#define SPGC_TOOLS_HEAP_COMMAND_H

#include <stdint.h>

enum exit_status { EXIT_DONE = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2 };

/* A command gets its own words, its name first, as a `main` does. */
typedef enum exit_status command_run(int count, char **words);

command_run command_diff, command_profile, command_report, command_top, command_why;

/* Prints a message about wrong usage, which may have one %s, and ends the program. */
_Noreturn void fail_usage(const char *format, const char *detail);

/* Ends the program because of an option that getopt_long refused and has reported. */
_Noreturn void fail_option(void);

/* Prints "spgc-heap: PATH: message", and gives EXIT_REFUSED. Bytes of the path that are not
 * printable are escaped. */
enum exit_status report(const char *path, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The number that an option's word gives, from 1 on; ends the program if it is none. */
uint32_t option_count(const char *option, const char *word);

#endif
