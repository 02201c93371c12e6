/* How the commands print classes, objects and sums, on standard output. */
#ifndef SPGC_TOOLS_HEAP_PRINT_H
#define SPGC_TOOLS_HEAP_PRINT_H

#include "tools/heap/snapshot.h"

/* The class's name, on one line: what is not printable is escaped, and a long one is cut. */
void print_class(const struct snapshot *snapshot, uint32_t class);

/* "Pair @17": class and ID. */
void print_node(const struct snapshot *snapshot, uint32_t node);

/* "3 objects, 72 bytes" */
void print_objects(uint64_t objects, uint64_t bytes);

/* The line about objects that no path from the root leads to. */
void print_unheld(uint64_t objects, uint64_t bytes);

#endif
