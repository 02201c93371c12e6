#ifndef SPGC_BENCH_MICRO_PROGRAM_H
#define SPGC_BENCH_MICRO_PROGRAM_H

#include <stdbool.h>

enum { MICRO_NURSERY_BYTES = 4 << 20 };

/* Starts the collector, with a nursery of MICRO_NURSERY_BYTES unless SPGC_OPTIONS has another, and
 * attaches this thread. `base` is the caller's __builtin_frame_address(0). */
void micro_start(void *base);
void micro_stop(void);

_Noreturn void micro_fail(const char *what);

/* Ends the program unless `right`. */
void micro_require(bool right, const char *wrong);

#endif
