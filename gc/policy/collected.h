#ifndef SPGC_GC_POLICY_COLLECTED_H
#define SPGC_GC_POLICY_COLLECTED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap/heap.h"
#include "spgc/events.h"

struct spgc_collected {
  enum spgc_reason reason;
  bool full;
  bool asked_full;  /* all of the old space at once */
  bool called;      /* by the program, which waits until memory is given back */
  bool partial;     /* the marking that ended was partial */
  bool last_resort; /* full, because an allocation finds no memory */
  bool promoted;    /* in place */
  bool marking;     /* a marking is in progress */
  size_t blocks_before;
  size_t condemned_bytes; /* small objects of the nursery */
  size_t born_old_bytes;
  size_t moved_objects, moved_bytes;
  size_t grown_bytes;          /* blocks that the old space got */
  size_t cards_read;           /* dirty */
  uint64_t roots_ns;           /* part of pause_ns */
  uint64_t pause_ns;           /* processor time */
  uint64_t begun_ns, ended_ns; /* by spgc_clock_ns */
  size_t live_bytes;           /* bytes of the old space, by the last full marking */
  size_t old_bytes;            /* by the last marking, or old since */
};

#endif
