#include "gc/weak/weak_processing.h"

#include "gc/weak/ephemeron.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/identity.h"
#include "gc/weak/pin.h"
#include "gc/weak/weak_field.h"

void spgc_unreached_begin(void) {
  spgc_finalizers_begin();
}

void spgc_unreached_keep_roots(const struct spgc_trace *trace) {
  spgc_finalizers_keep(trace);
  if (trace->marker != NULL)
    spgc_pins_mark(trace);
}

void spgc_unreached_decide(const struct spgc_trace *trace) {
  spgc_ephemerons_close(trace);
  spgc_weak_fields_clear(trace);
  if (spgc_finalizers_queue(trace)) {
    spgc_trace_drain(trace);
    spgc_ephemerons_close(trace);
  }
  spgc_weak_fields_settle(trace);
  spgc_ephemerons_settle(trace);
  spgc_finalizers_settle(trace);
  spgc_identities_settle(trace);
}

void spgc_unreached_visit(spgc_root_visitor visit, void *context) {
  spgc_weak_fields_visit(visit, context);
  spgc_ephemerons_visit(visit, context);
  spgc_finalizers_visit(visit, context);
  spgc_identities_visit(visit, context);
  spgc_pins_visit(visit, context);
}

void spgc_unreached_stop(void) {
  spgc_weak_fields_stop();
  spgc_ephemerons_stop();
  spgc_finalizers_stop();
  spgc_identities_stop();
  spgc_pins_stop();
}
