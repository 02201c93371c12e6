/* Functions and lines of the allocation profile's places, from the files that their code was loaded
 * from. */
#ifndef SPGC_OBSERVE_PROFILE_PROFILE_LINES_H
#define SPGC_OBSERVE_PROFILE_PROFILE_LINES_H

#include "observe/profile/profile_tables.h"

/* Reads each file once, for the places that the language has not described. Places of files that
 * cannot be read stay as they are, with the names of exported functions. Slow: it opens files, on a
 * thread of its own (gc/naming/line_thread.h). If the system refuses that thread, no file is read,
 * and a line of the log says so. */
void spgc_profile_find_lines(struct spgc_profile_tables *tables);

#endif
