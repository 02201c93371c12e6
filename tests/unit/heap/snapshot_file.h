#ifndef SPGC_TESTS_SNAPSHOT_FILE_H
#define SPGC_TESTS_SNAPSHOT_FILE_H

#include <sys/types.h>

extern char snapshot_path[64];

/* Sets the path to the calling process's own; or to another process's. */
void snapshot_path_choose(void);
void snapshot_path_of(pid_t process);

/* Fails the test unless the file is a whole snapshot; removes it. */
void snapshot_file_check(void);

void snapshot_outgrow_pipe(void);

#endif
