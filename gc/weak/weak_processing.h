/* A collection decides about objects that only weak fields, weak maps, finalizers, identity hashes
 * and the allocation profile refer to (docs/collections.md, "Weak processing"): once for each of
 * its decisions (gc/trace/liveness.h), when roots and fields lead to no more unreached objects. */
#ifndef SPGC_GC_WEAK_WEAK_PROCESSING_H
#define SPGC_GC_WEAK_WEAK_PROCESSING_H

#include "gc/weak/side_table.h"

/* A function may be NULL: then `entries` that `stay` are settled, their objects visited as `what`,
 * or the table is freed. */
struct spgc_weak_table {
  struct spgc_side_table *entries;
  const char *what;
  spgc_side_keep stay;
  void (*settle)(const struct spgc_liveness *liveness);  /* step 4 */
  void (*visit)(spgc_root_visitor visit, void *context); /* every address, for verification */
  void (*stop)(void);                                    /* before the heap is destroyed */
};

extern const struct spgc_weak_table spgc_table_of_weak_fields, spgc_table_of_ephemerons,
    spgc_table_of_finalizers, spgc_table_of_identities, spgc_table_of_sampled_objects,
    spgc_table_of_pins;

void spgc_weak_processing_run(const struct spgc_liveness *liveness);

void spgc_weak_processing_visit(spgc_root_visitor visit, void *context);

void spgc_weak_processing_stop(void);

/* From 1, constant while the object lives; 0 without a hash. The world is stopped. */
uint32_t spgc_identity_number(struct spgc_ref object);

#endif
