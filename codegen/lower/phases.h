/* The phases, in the order of lower.c. Each rewrites the module in place. */
#ifndef SPGC_CODEGEN_LOWER_PHASES_H
#define SPGC_CODEGEN_LOWER_PHASES_H

#include "codegen/ir/lowering.h"

lowering_phase spgc_declare_runtime, spgc_forget_memory_effects;
value_phase spgc_keep_library_calls, spgc_name_leaf_calls, spgc_demand_unwind_tables;

/* read/ */
lowering_phase spgc_clamp_alignments, spgc_drop_unused_intrinsics, spgc_take_polls;
value_phase spgc_empty_unreachable_blocks, spgc_normalise;

/* hide/ */
lowering_phase spgc_hide_copies, spgc_show_copies, spgc_hide_addresses, spgc_claim_safepoints,
    spgc_show_addresses, spgc_check_numbers, spgc_split_aggregate_accesses;

/* optimise/ */
lowering_phase spgc_keep_apart, spgc_end_inlining, spgc_read_roots, spgc_forget_reader;
value_phase spgc_gather_allocas, spgc_keep_tail_results, spgc_release_tail_results;

/* expand/ */
lowering_phase spgc_keep_leaf_loops, spgc_place_polls, spgc_inline_leaf_loops, spgc_part_invokes,
    spgc_take_aggregates_apart, spgc_forget_bases;
value_phase spgc_expand_runtime_calls, spgc_skip_simplification, spgc_end_skipping,
    spgc_define_references, spgc_show_bases, spgc_give_slots, spgc_cut_long_blocks;

/* simplification.c: code was inlined into it that LLVM has to simplify. */
void spgc_note_inlining(LLVMValueRef function);

/* finish/; spgc_take_load_barrier belongs to read */
lowering_phase spgc_take_load_barrier, spgc_describe_module, spgc_leave_comdats,
    spgc_place_constructors;
value_phase spgc_part_operands, spgc_list_variables, spgc_insert_barriers,
    spgc_insert_load_barriers;

/* Opaque to the optimiser; a leaf. */
LLVMValueRef spgc_note_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);

/* The optimiser knows only where the leaf reads and writes, as of memcpy. */
void spgc_declare_copy(LLVMValueRef function);

/* Calls may be safepoints: they write memory that only the collector sees, whatever other
 * attributes claim. */
void spgc_declare_safepoint(LLVMValueRef function);

/* constructors.c: functions () -> void that run before or after the program's constructors and
 * destructors, which may run generated code. */
void spgc_constructor_add(LLVMValueRef function);
void spgc_destructor_add(LLVMValueRef function);

enum spgc_result spgc_check_barriers(const struct spgc_lower_options *options,
                                     struct spgc_error *error);

/* Creates the options' machine, which the caller disposes of, and prepares the module for it. */
enum spgc_result spgc_open_target(struct lowering *lowering, struct spgc_error *error);

/* lower.c: stops at a failure, or when `goes_on` returns false. */
typedef bool lowering_goes_on(void *context, enum spgc_result result,
                              const struct spgc_error *error);
enum spgc_result spgc_run_stages(struct lowering *lowering, lowering_goes_on *goes_on,
                                 void *context, struct spgc_error *error);

#endif
