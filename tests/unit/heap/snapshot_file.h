#ifndef SPGC_TESTS_SNAPSHOT_FILE_H
#define SPGC_TESTS_SNAPSHOT_FILE_H

#include <sys/types.h>

extern char snapshot_path[64];

/* For the calling process, or another. */
void snapshot_path_choose(void);
void snapshot_path_of(pid_t process);

/* The file must be a whole snapshot, and is removed. */
void snapshot_file_check(void);

void snapshot_outgrow_pipe(void);

#endif
