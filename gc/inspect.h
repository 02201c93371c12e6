/* The door of gc/ for observe/: snapshots and profiles include no other header of gc/, and call no
 * function of gc/ that is not named here (tests/check-layering). The log and the timeline use
 * spgc/events.h only.
 *
 * Stops and callers, attached or not:
 *   spgc_any_thread_run_stopped, spgc_any_thread_call_blocking, spgc_any_thread_forbidden,
 *   spgc_any_thread_forbids_waiting
 * The runtime; its cycle is held while marks or unswept blocks are read:
 *   spgc_runtime, spgc_cycle_hold, spgc_cycle_release, spgc_lock, spgc_unlock
 * Roots:
 *   spgc_roots_read
 * Side tables:
 *   spgc_pins_visit, spgc_weak_fields_read, spgc_weak_maps, spgc_finalizers_read,
 *   spgc_identity_number, spgc_side_table_at, spgc_side_table_first, spgc_side_table_next
 * Samples of allocations:
 *   spgc_samplers_seed, spgc_samplers_begin, spgc_world_change_samplers,
 *   spgc_sampled_objects_start, spgc_sampled_objects_add, spgc_sampled_objects_each,
 *   spgc_sampled_objects_stop
 * Names of code and of variables, and their source lines:
 *   spgc_code_find, spgc_code_find_file, spgc_code_find_source, spgc_code_describe,
 *   spgc_code_set_gone_hook, spgc_variable_find, spgc_loaded_image_find, spgc_code_lines_load,
 *   spgc_code_lines_exist, spgc_code_file_open, spgc_code_file_find, spgc_code_file_find_variable,
 *   spgc_code_file_close, spgc_line_thread_call */
#ifndef SPGC_GC_INSPECT_H
#define SPGC_GC_INSPECT_H

#include "gc/mutator/safepoint.h"
#include "gc/naming/code_line.h"
#include "gc/naming/code_name.h"
#include "gc/roots/loaded_object.h"
#include "gc/roots/roots.h"
#include "gc/state/runtime.h"
#include "gc/tlab/sampler.h"
#include "gc/weak/finalizer.h"
#include "gc/weak/pin.h"
#include "gc/weak/sampled_object.h"
#include "gc/weak/weak_field.h"
#include "gc/weak/weak_map.h"
#include "gc/weak/weak_processing.h"

#endif
