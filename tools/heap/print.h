#ifndef SPGC_TOOLS_HEAP_PRINT_H
#define SPGC_TOOLS_HEAP_PRINT_H

#include "tools/heap/snapshot.h"

/* Prints one line: unprintable bytes are escaped, long names cut. */
void print_class(const struct snapshot *snapshot, uint32_t class);

/* As "Pair @17": class and ID. */
void print_node(const struct snapshot *snapshot, uint32_t node);

/* "3 objects, 72 bytes" */
void print_objects(uint64_t objects, uint64_t bytes);

void print_unheld(uint64_t objects, uint64_t bytes);

#endif
