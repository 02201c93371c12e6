/* The phases of the lowering, by the file that defines them; lower.c has their order. Each rewrites
 * the module in place. */
#ifndef SPGC_CODEGEN_IR_LOWERING_H
#define SPGC_CODEGEN_IR_LOWERING_H

#include <stdbool.h>

#include <llvm-c/TargetMachine.h>

#include "spgc/lower.h"

struct lowering {
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
  const struct spgc_lower_options *options;
  const char *stage; /* the one that runs, for messages */
};

/* The options that a caller gave, of whatever release its structure is. */
enum spgc_result spgc_lower_options_read(struct spgc_lower_options *known,
                                         const struct spgc_lower_options *given, const char *caller,
                                         struct spgc_error *error);

typedef enum spgc_result lowering_phase(struct lowering *lowering, struct spgc_error *error);

/* attributes.c: the assumptions that the optimiser may make. */
lowering_phase spgc_declare_runtime;
lowering_phase spgc_forget_memory_effects;
lowering_phase spgc_name_leaf_calls;
lowering_phase spgc_demand_unwind_tables;

/* The leaf function of that name, which is declared if it is new, whose call notes something: the
 * optimiser neither removes nor looks through such calls. */
LLVMValueRef spgc_note_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);

/* Declares a leaf function like memcpy: the optimiser only knows where it reads and writes. */
void spgc_declare_copy(LLVMValueRef function);

/* Declares that calls of a function may be safepoints: they change memory that only the collector
 * sees, whatever other attributes claim. */
void spgc_declare_safepoint(LLVMValueRef function);

/* alignment.c */
lowering_phase spgc_clamp_alignments;

/* copies.c */
lowering_phase spgc_hide_copies;
lowering_phase spgc_show_copies;

/* library_calls.c */
lowering_phase spgc_keep_library_calls;

/* check_allocator.c */
lowering_phase spgc_check_allocators;

/* check_descriptor.c */
lowering_phase spgc_check_descriptors;
lowering_phase spgc_check_field_stores; /* variables must be promoted */

/* word_copies.c */
lowering_phase spgc_copy_by_words;

/* addresses.c */
lowering_phase spgc_hide_addresses;
lowering_phase spgc_claim_safepoints;
lowering_phase spgc_show_addresses;

enum { OPTIMISES_RECURSION = 2 }; /* from this level on; below it, a program waits for the code */

/* recursion.c */
lowering_phase spgc_inline_recursion;

/* leaf_entry.c */
lowering_phase spgc_give_leaf_entries;

/* poll.c */
lowering_phase spgc_place_polls;

/* allocation.c */
lowering_phase spgc_expand_runtime_calls;

/* aggregates.c */
lowering_phase spgc_split_aggregate_choices;
lowering_phase spgc_take_aggregates_apart;

/* invoke_edges.c */
lowering_phase spgc_part_invokes;

/* undefined.c */
lowering_phase spgc_define_references;

/* lanes.c */
lowering_phase spgc_choose_lanes;

/* bases.c */
lowering_phase spgc_show_bases;
lowering_phase spgc_forget_bases;

/* statepoint_operands.c */
lowering_phase spgc_part_operands;

/* static_allocas.c */
lowering_phase spgc_gather_allocas;

/* unreachable_blocks.c */
lowering_phase spgc_empty_unreachable_blocks;

/* normalise.c */
lowering_phase spgc_normalise;

/* variables.c */
lowering_phase spgc_list_variables;

/* slots.c */
lowering_phase spgc_give_slots;

/* long_blocks.c */
lowering_phase spgc_cut_long_blocks;

/* barrier.c */
lowering_phase spgc_insert_barriers;

/* transition.c */
lowering_phase spgc_expand_transitions;

/* module_record.c */
lowering_phase spgc_describe_module;

/* comdat.c */
lowering_phase spgc_leave_comdats;

/* constructors.c */
lowering_phase spgc_place_constructors;

/* leaves.c */
lowering_phase spgc_keep_leaf_loops;

/* inlining.c: around the phases that inline functions. */
lowering_phase spgc_keep_apart;
lowering_phase spgc_end_inlining;

/* tail_results.c: around the optimiser. */
lowering_phase spgc_keep_tail_results;
lowering_phase spgc_release_tail_results;

/* check.c */
lowering_phase spgc_check_variables;
lowering_phase spgc_check_before_statepoints;
lowering_phase spgc_check_lowered;

/* check_relocated.c */
lowering_phase spgc_check_relocated;

/* verify.c: what holds behind each stage. */
lowering_phase spgc_verify_read, spgc_verify_promoted, spgc_verify_typed, spgc_verify_expanded,
    spgc_verify_relocated, spgc_verify_finished;

/* number_checks.c: spgc_lower_options.check_numbers. */
lowering_phase spgc_check_numbers;

/* aggregate_accesses.c */
lowering_phase spgc_split_aggregate_accesses;

/* foreign.c: code for another collector. */
bool spgc_is_foreign(const struct lowering *lowering);
enum spgc_result spgc_check_barriers(const struct spgc_lower_options *options,
                                     struct spgc_error *error);
lowering_phase spgc_take_polls;

/* Creates the machine of the options, which the caller must dispose of if there is one then, and
 * prepares the module for it. */
enum spgc_result spgc_open_target(struct lowering *lowering, struct spgc_error *error);

/* lower.c: runs the stages in order, until a phase fails or `goes_on` says no after one. */
enum spgc_result spgc_run_stages(struct lowering *lowering,
                                 bool (*goes_on)(void *context, enum spgc_result result,
                                                 const struct spgc_error *error),
                                 void *context, struct spgc_error *error);

/* Runs passes over the module; an error means that the pipeline's text is wrong. */
void spgc_run_passes(struct lowering *lowering, const char *passes);

#endif
