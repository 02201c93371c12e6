/* The collector's statistics, as a summary of five lines on standard error:
 *
 *   gc: collections: 12 (8 minor, 2 final-mark, 2 full)
 *   gc: moved: 3456 objects, 123456 bytes
 *   gc: stack: 789 frames, 4567 roots in slots, 89 in registers, 12 registers rewritten
 *   gc: pauses: 3.456 ms in all, p50 0.234 ms, p90 0.567 ms, 0.789 ms the longest
 *   gc: heap: 4194304 bytes at most, 23456789 bytes allocated
 */
#ifndef LOX_RUNTIME_STATISTICS_H
#define LOX_RUNTIME_STATISTICS_H

#include <stdio.h>

/* Reads the collector's counters. On an attached thread. */
void lox_statistics_take(void);

/* Prints the counters that were read last. Any thread. */
void lox_statistics_print(FILE *file);

#endif
