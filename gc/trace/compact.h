/* Compaction: the final mark of a full marking evacuates sparse blocks, without a scan of the old
 * space.
 *
 *   spgc_compaction_choose    in the stop that begins the marking: sparse blocks become candidates
 *   spgc_record               the marking records each field that refers into a candidate
 *   spgc_condemn_candidates   in the final mark, when live bytes are exact: condemns as many
 *                             candidates as the pause may take
 *   spgc_evacuation_scan_recorded   copies their objects, and updates the recorded fields
 *   spgc_compaction_forget    makes the other candidates ordinary old blocks again
 *
 *   state of the cycle   candidates   recorded slots              who writes into candidates
 *   idle, sweeping       none         none
 *   marking, marked      chosen       more and more; the          mutators store to their objects
 *                                     invariant of recorded.h
 *   final mark           condemned    used                        the evacuation: headers
 *   abandoned            old again    forgotten
 *
 * A candidate was recyclable when chosen, and nobody allocates in it afterwards. It may become an
 * ordinary old block again at any time, because slots in it are also recorded.
 *
 * Recording while marking, and evacuating when it ends, is from Detlefs, Flood, Heller and
 * Printezis, "Garbage-first garbage collection" (ISMM 2004), and V8's evacuation candidates
 * (Degenbaev and others, "Idle-time garbage-collection scheduling", PLDI 2016). */
#ifndef SPGC_GC_TRACE_COMPACT_H
#define SPGC_GC_TRACE_COMPACT_H

#include "gc/trace/mark.h"
#include "heap/condemn.h"

/* Called before a full marking begins, with every block swept. Chooses none if the system refuses
 * memory for the slots. */
void spgc_compaction_choose(struct spgc_marker *marker, const struct spgc_compaction_work *work);

bool spgc_compaction_is_possible(const struct spgc_heap *heap);
void spgc_compaction_forget(struct spgc_marker *marker);

#endif
