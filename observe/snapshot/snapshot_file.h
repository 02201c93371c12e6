/* The text of a heap snapshot: V8's format .heapsnapshot.
 *
 *   {"snapshot":{"meta":...,"node_count":N,"edge_count":E,...},"nodes":[...],"edges":[...],...,
 *    "strings":["","Pair","left",...      <- written by the child
 *    ,"main at a.lox:12 (rbx)",...]}      <- added by the parent
 *
 * The strings come last, so the child can number the names of places while the parent finds
 * them. */
#ifndef SPGC_OBSERVE_SNAPSHOT_SNAPSHOT_FILE_H
#define SPGC_OBSERVE_SNAPSHOT_SNAPSHOT_FILE_H

#include "observe/output.h"
#include "observe/snapshot/graph.h"

/* Omits the names of places. Returns 0, EOVERFLOW for more nodes than the format can number, ENOMEM
 * for an incomplete graph, or another errno value. */
int spgc_snapshot_file_write(struct spgc_output *output, struct spgc_graph *graph);

void spgc_snapshot_file_string(struct spgc_output *output, const char *text, size_t length);
void spgc_snapshot_file_end(struct spgc_output *output);

#endif
