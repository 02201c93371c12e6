#include "gc/weak/weak_processing.h"

#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/identity.h"
#include "gc/weak/pin.h"
#include "gc/weak/sampled_object.h"
#include "gc/weak/weak_elements.h"
#include "gc/weak/weak_field.h"

/* The side tables. */
static const struct {
  void (*settle)(const struct spgc_liveness *liveness); /* step 4 */
  void (*visit)(spgc_root_visitor visit, void *context);
  void (*stop)(void);
} tables[] = {
    {spgc_weak_fields_settle, spgc_weak_fields_visit, spgc_weak_fields_stop},
    {spgc_ephemerons_settle, spgc_ephemerons_visit, spgc_ephemerons_stop},
    {spgc_finalizers_settle, spgc_finalizers_visit, spgc_finalizers_stop},
    {spgc_identities_settle, spgc_identities_visit, spgc_identities_stop},
    {spgc_sampled_objects_settle, spgc_sampled_objects_visit, NULL}, /* its profile stops it */
    {NULL, spgc_pins_visit, spgc_pins_stop}, /* pinned objects survive: spgc_pins_release */
};

enum { TABLES = sizeof tables / sizeof *tables };

void spgc_weak_processing_begin(void) {
  spgc_finalizers_begin();
  spgc_sampled_objects_begin();
}

void spgc_weak_processing_keep_roots(const struct spgc_liveness *liveness) {
  spgc_finalizers_keep(liveness);
}

void spgc_weak_processing_run(const struct spgc_liveness *liveness) {
  spgc_ephemerons_close(liveness);
  spgc_weak_fields_clear(liveness);
  spgc_weak_elements_clear(liveness);
  if (spgc_finalizers_queue(liveness)) {
    liveness->drain(liveness->tracer);
    spgc_ephemerons_close(liveness);
    spgc_weak_elements_clear(liveness); /* of arrays that only these objects lead to */
  }
  for (size_t i = 0; i < TABLES; i++)
    if (tables[i].settle != NULL)
      tables[i].settle(liveness);
}

void spgc_weak_processing_visit(spgc_root_visitor visit, void *context) {
  for (size_t i = 0; i < TABLES; i++)
    tables[i].visit(visit, context);
}

void spgc_weak_processing_stop(void) {
  for (size_t i = 0; i < TABLES; i++)
    if (tables[i].stop != NULL)
      tables[i].stop();
}
