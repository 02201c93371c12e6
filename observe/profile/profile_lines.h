#ifndef SPGC_OBSERVE_PROFILE_PROFILE_LINES_H
#define SPGC_OBSERVE_PROFILE_PROFILE_LINES_H

#include "observe/profile/profile_tables.h"

/* Adds functions and lines from debug information to places that the language has not described. A
 * thread reads each file once (gc/naming/code_line.h); if the system refuses it, the log says so.
 * Places of unreadable files keep the names of exported functions. */
void spgc_profile_find_lines(struct spgc_profile_tables *tables);

#endif
