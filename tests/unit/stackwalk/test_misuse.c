/* Calls that end the process with the call's name. */
#include "spgc/exception.h"
#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "spgc/stackwalk.h"
#include "tests/support/check_main.h"
#include "tests/support/fatal_check.h"

static const struct spgc_stack_visitor visitor;
static const unsigned char bytes[16] = {3};
static const struct spgc_stackmap_section section = {bytes, sizeof bytes, SPGC_LITTLE_ENDIAN},
                                          nowhere = {NULL, 16, SPGC_LITTLE_ENDIAN};
static uint64_t position, beyond = UINT64_MAX - 3;
static struct spgc_stackmap_blob blob;
static struct spgc_stackmap_record record;
static struct spgc_stackmap *stackmap;

static void walk_without_visitor(void) {
  spgc_walk_stack(__builtin_frame_address(0), NULL, NULL);
}

static void suspend_for_nothing(void) {
  spgc_stack_suspend(__builtin_frame_address(0), NULL, NULL);
}

static void walk_no_stack(void) {
  spgc_walk_suspended(NULL, &visitor, NULL);
}

static void walk_no_resumed_stack(void) {
  spgc_walk_resumed(NULL, NULL, &visitor, NULL);
}

static void walk_no_unchanged_stack(void) {
  spgc_walk_resumed_unchanged(NULL, NULL, &visitor, NULL);
}

static void walk_no_unresumed_stack(void) {
  spgc_walk_unresumed(NULL, NULL, &visitor, NULL);
}

static void *show_nobody(const struct spgc_suspended_stack *stack, void *context) {
  spgc_walk_suspended(stack, NULL, NULL);
  return context;
}

static void walk_suspended_without_visitor(void) {
  spgc_stack_suspend(__builtin_frame_address(0), show_nobody, NULL);
}

static void unwind_to_null(void) {
  spgc_unwind(NULL, NULL);
}

static void foresee_unwinding_to_null(void) {
  spgc_unwind_outlook(NULL);
}

static void register_no_section(void) {
  spgc_stackmap_register(NULL, 16, &stackmap, NULL);
}

static void register_for_nobody(void) {
  spgc_stackmap_register(bytes, sizeof bytes, NULL, NULL);
}

static void register_no_old_section(void) {
  spgc_stackmap_register_v1(NULL, 16, NULL, NULL, &stackmap, NULL);
}

static void count_no_records(void) {
  spgc_stackmap_record_count(NULL);
}

static void store_call_sites_nowhere(void) {
  spgc_stackmap_call_sites(1, NULL, 4);
}

static void read_blob_of_no_section(void) {
  spgc_stackmap_read_blob(NULL, &position, &blob, NULL);
}

static void read_blob_of_no_bytes(void) {
  spgc_stackmap_read_blob(&nowhere, &position, &blob, NULL);
}

static void read_blob_at_no_position(void) {
  spgc_stackmap_read_blob(&section, NULL, &blob, NULL);
}

static void read_blob_beyond_the_section(void) {
  spgc_stackmap_read_blob(&section, &beyond, &blob, NULL);
}

static void read_no_blob(void) {
  spgc_stackmap_read_blob(&section, &position, NULL, NULL);
}

static void read_record_of_no_blob(void) {
  spgc_stackmap_read_record(&section, NULL, &position, &record, NULL);
}

static void read_record_beyond_the_section(void) {
  blob.version = 3;
  spgc_stackmap_read_record(&section, &blob, &beyond, &record, NULL);
}

static void read_no_record(void) {
  spgc_stackmap_read_record(&section, &blob, &position, NULL, NULL);
}

static void take_function_of_no_blob(void) {
  spgc_stackmap_function_at(&section, NULL, 0);
}

static void take_function_outside(void) {
  spgc_stackmap_function_at(&section, &blob, 0);
}

static void take_constant_of_no_blob(void) {
  spgc_stackmap_constant_at(&section, NULL, 0);
}

static void take_constant_outside(void) {
  spgc_stackmap_constant_at(&section, &blob, 0);
}

static void take_location_of_no_record(void) {
  spgc_stackmap_location_at(&section, &blob, NULL, 0);
}

static void take_location_outside(void) {
  spgc_stackmap_location_at(&section, &blob, &record, 0);
}

static void take_live_out_of_no_record(void) {
  spgc_stackmap_live_out_at(&section, NULL, 0);
}

static void take_live_out_outside(void) {
  spgc_stackmap_live_out_at(&section, &record, 0);
}

static void lay_out_no_record(void) {
  struct spgc_statepoint_layout layout;
  spgc_stackmap_statepoint_layout(&section, &blob, NULL, &layout);
}

static const struct {
  void (*body)(void);
  const char *message;
} misused[] = {
    {walk_without_visitor, "spgc_walk_stack: no visitor is given"},
    {suspend_for_nothing, "spgc_stack_suspend: no function is given"},
    {walk_no_stack, "spgc_walk_suspended: no stack is given"},
    {walk_no_resumed_stack, "spgc_walk_resumed: no stack is given"},
    {walk_no_unchanged_stack, "spgc_walk_resumed_unchanged: no stack is given"},
    {walk_no_unresumed_stack, "spgc_walk_unresumed: no stack is given"},
    {walk_suspended_without_visitor, "spgc_walk_suspended: no visitor is given"},
    {unwind_to_null, "base 0x0 is below the stack pointer: give __builtin_frame_address(0)"},
    {foresee_unwinding_to_null, "base 0x0 is below the stack pointer"},
    {register_no_section, "spgc_stackmap_register: the section's 16 bytes are at null"},
    {register_for_nobody, "spgc_stackmap_register: no place for the stack map is given"},
    {register_no_old_section, "spgc_stackmap_register_v1: the section's 16 bytes are at null"},
    {count_no_records, "spgc_stackmap_record_count: no stack map is given"},
    {store_call_sites_nowhere, "spgc_stackmap_call_sites: no array for 4 addresses is given"},
    {read_blob_of_no_section, "spgc_stackmap_read_blob: no section or no position is given"},
    {read_blob_of_no_bytes, "spgc_stackmap_read_blob: the section's 16 bytes are at null"},
    {read_blob_at_no_position, "spgc_stackmap_read_blob: no section or no position is given"},
    {read_blob_beyond_the_section, "spgc_stackmap_read_blob: position 18446744073709551612 is"},
    {read_no_blob, "spgc_stackmap_read_blob: no structure for the blob is given"},
    {read_record_of_no_blob, "spgc_stackmap_read_record: no blob or no structure"},
    {read_record_beyond_the_section, "spgc_stackmap_read_record: position 18446744073709551612 is"},
    {read_no_record, "spgc_stackmap_read_record: no blob or no structure for a record is given"},
    {take_function_of_no_blob, "spgc_stackmap_function_at: no section or no blob is given"},
    {take_function_outside, "spgc_stackmap_function_at: function 0 of 0 is outside"},
    {take_constant_of_no_blob, "spgc_stackmap_constant_at: no section or no blob is given"},
    {take_constant_outside, "spgc_stackmap_constant_at: constant 0 of 0 is outside"},
    {take_location_of_no_record, "spgc_stackmap_location_at: no section, no blob or no record"},
    {take_location_outside, "spgc_stackmap_location_at: location 0 of 0 is outside"},
    {take_live_out_of_no_record, "spgc_stackmap_live_out_at: no section or no record is given"},
    {take_live_out_outside, "spgc_stackmap_live_out_at: live-out 0 of 0 is outside"},
    {lay_out_no_record, "spgc_stackmap_statepoint_layout: no section, no blob, no record"},
};

START_TEST(misuse_is_named) {
  for (size_t i = 0; i < sizeof misused / sizeof *misused; i++)
    check_is_fatal(misused[i].body, misused[i].message);
}
END_TEST

START_TEST(nothing_is_an_empty_section) {
  const struct spgc_stackmap_section empty = {NULL, 0, SPGC_LITTLE_ENDIAN};
  ck_assert_int_eq(spgc_stackmap_read_blob(&empty, &position, &blob, NULL), SPGC_OK);
  ck_assert_uint_eq(blob.version, 0);
  ck_assert_int_eq(spgc_stackmap_register(NULL, 0, &stackmap, NULL), SPGC_OK);
  ck_assert_uint_eq(spgc_stackmap_record_count(stackmap), 0);
  spgc_stackmap_unregister(stackmap);
  ck_assert_uint_eq(spgc_stackmap_call_sites(1, NULL, 0), 0);
}
END_TEST

CHECK_MAIN("stackwalk-misuse", misuse_is_named, nothing_is_an_empty_section)
