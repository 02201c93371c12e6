#include "gc/weak/weak_processing.h"

#include "gc/weak/finalizer.h"
#include "gc/weak/sampled_object.h"
#include "gc/weak/weak_field.h"
#include "gc/weak/weak_map.h"

static const struct spgc_weak_table *const tables[] = {
    &spgc_table_of_weak_fields, &spgc_table_of_ephemerons,      &spgc_table_of_finalizers,
    &spgc_table_of_identities,  &spgc_table_of_sampled_objects, &spgc_table_of_pins,
};

enum { TABLES = sizeof tables / sizeof *tables };

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
    if (tables[i]->settle != NULL)
      tables[i]->settle(liveness);
    else if (tables[i]->stay != NULL)
      spgc_side_table_settle(tables[i]->entries, liveness, tables[i]->stay);
}

void spgc_weak_processing_visit(spgc_root_visitor visit, void *context) {
  for (size_t i = 0; i < TABLES; i++)
    if (tables[i]->visit != NULL)
      tables[i]->visit(visit, context);
    else
      spgc_side_table_visit(tables[i]->entries, visit, context, tables[i]->what);
}

void spgc_weak_processing_stop(void) {
  for (size_t i = 0; i < TABLES; i++)
    if (tables[i]->stop != NULL)
      tables[i]->stop();
    else
      spgc_side_table_free(tables[i]->entries);
}
