/* Included in front of every file where coverage is measured (./dev coverage): what a process has
 * counted reaches its files even if it aborts, as many tests want it to. */
#ifndef SPGC_TESTS_COVERAGE_H
#define SPGC_TESTS_COVERAGE_H

#ifndef __ASSEMBLER__
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>

void __gcov_dump(void);

#define abort() (__gcov_dump(), (abort)())
#endif

#endif
