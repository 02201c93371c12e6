#include "gc/weak/weak_processing.h"

#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/identity.h"
#include "gc/weak/pin.h"
#include "gc/weak/sampled_object.h"
#include "gc/weak/weak_field.h"

void spgc_weak_processing_begin(void) {
  spgc_finalizers_begin();
  spgc_sampled_objects_begin();
}

void spgc_weak_processing_keep_roots(const struct spgc_liveness *liveness) {
  spgc_finalizers_keep(liveness);
  if (liveness->by_marks)
    spgc_pins_mark(liveness);
}

void spgc_weak_processing_run(const struct spgc_liveness *liveness) {
  spgc_ephemerons_close(liveness);
  spgc_weak_fields_clear(liveness);
  if (spgc_finalizers_queue(liveness)) {
    liveness->drain(liveness->tracer);
    spgc_ephemerons_close(liveness);
  }
  spgc_weak_fields_settle(liveness);
  spgc_ephemerons_settle(liveness);
  spgc_finalizers_settle(liveness);
  spgc_identities_settle(liveness);
  spgc_sampled_objects_settle(liveness);
}

void spgc_weak_processing_visit(spgc_root_visitor visit, void *context) {
  spgc_weak_fields_visit(visit, context);
  spgc_ephemerons_visit(visit, context);
  spgc_finalizers_visit(visit, context);
  spgc_identities_visit(visit, context);
  spgc_sampled_objects_visit(visit, context);
  spgc_pins_visit(visit, context);
}

void spgc_weak_processing_stop(void) {
  spgc_weak_fields_stop();
  spgc_ephemerons_stop();
  spgc_finalizers_stop();
  spgc_identities_stop();
  spgc_pins_stop();
}
