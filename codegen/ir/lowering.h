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
  bool hides_words;     /* words.c hid accesses from the optimiser */
  bool reads_addresses; /* calls of leaves tell addresses of the moment */
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

/* Declares a leaf function that reads a word: its parameter is the address. */
void spgc_declare_word(LLVMValueRef function);

/* The same for one that writes a word: the second parameter, to the address that is the first. */
void spgc_declare_word_store(LLVMValueRef function);

/* Declares a leaf function that may read and write any memory. Its calls are not merged, because
 * their constant arguments would become variables. */
void spgc_declare_word_call(LLVMValueRef function);

/* Declares that calls of a function may be safepoints: they change memory that only the collector
 * sees, whatever other attributes claim. */
void spgc_declare_safepoint(LLVMValueRef function);

/* A leaf, or a call of one, that tells addresses of objects reads what a safepoint changes,
 * whatever its attributes claim. */
void spgc_declare_reading_leaf(LLVMValueRef value, bool is_function);

/* True if a call or its function claims to read and write less than other code may. */
bool spgc_declares_few_effects(LLVMValueRef call);

/* alignment.c */
lowering_phase spgc_clamp_alignments;

/* word_calls.c */
lowering_phase spgc_hide_word_calls;

/* hidden.c */
lowering_phase spgc_drop_store_notes;
lowering_phase spgc_show_hidden;

/* second_run.c */
lowering_phase spgc_optimise_shown;

/* copies.c */
lowering_phase spgc_hide_copies;

/* word_parameters.c */
lowering_phase spgc_type_parameters;

/* library_calls.c */
lowering_phase spgc_keep_library_calls;

/* check_allocator.c */
lowering_phase spgc_check_allocators;

/* check_descriptor.c */
lowering_phase spgc_check_descriptors;

/* check_storage.c */
lowering_phase spgc_check_storage;

/* check_unowned.c */
lowering_phase spgc_note_unowned;
lowering_phase spgc_check_unowned;

/* word_copies.c */
lowering_phase spgc_copy_by_words;

/* atomic_words.c */
lowering_phase spgc_type_atomics;

/* shared_words.c */
lowering_phase spgc_show_shared_words;

/* The address of a reference at the instruction where the builder stands. */
LLVMValueRef spgc_read_address(LLVMBuilderRef builder, LLVMModuleRef module,
                               LLVMValueRef reference);

/* Lets the optimiser know of a function's body that it reads and writes what a safepoint does. */
void spgc_claim_effects(LLVMModuleRef module, LLVMValueRef function);

/* addresses.c */
lowering_phase spgc_hide_addresses;
lowering_phase spgc_claim_safepoints;
lowering_phase spgc_show_addresses;

/* words.c */
/* True if the module has managed functions. Without any, no optimisation is wrong for words. */
bool spgc_has_safepoints(LLVMModuleRef module);
lowering_phase spgc_hide_words;

enum { OPTIMISES_RECURSION = 2 }; /* from this level on; below it, a program waits for the code */

/* recursion.c */
lowering_phase spgc_inline_recursion;

/* leaf_entry.c */
lowering_phase spgc_give_leaf_entries;

/* poll.c */
lowering_phase spgc_place_polls;

/* allocation.c */
lowering_phase spgc_expand_runtime_calls;

/* aggregate_accesses.c */
lowering_phase spgc_split_aggregate_accesses;

/* aggregates.c */
lowering_phase spgc_split_aggregate_choices;
lowering_phase spgc_take_aggregates_apart;

/* invoke_edges.c */
lowering_phase spgc_part_invokes;

/* undefined.c */
lowering_phase spgc_define_references;

/* bases.c */
lowering_phase spgc_show_bases;
lowering_phase spgc_forget_bases;

/* statepoint_operands.c */
lowering_phase spgc_part_operands;

/* typed_variables.c */
lowering_phase spgc_show_variables;

/* memory_parameters.c */
lowering_phase spgc_copy_memory_parameters;
/* The first place of a function where a safepoint may be: behind its leading allocas and these
 * copies. */
LLVMValueRef spgc_first_after_parameters(LLVMValueRef function);
/* Moves the instrumentation's calls behind these copies. */
void spgc_copy_parameters_first(LLVMValueRef function);

/* static_allocas.c */
lowering_phase spgc_gather_allocas;

/* unused_intrinsics.c */
lowering_phase spgc_drop_unused_intrinsics;

/* unreachable_blocks.c */
lowering_phase spgc_empty_unreachable_blocks;

/* address_casts.c */
lowering_phase spgc_name_address_casts;

/* variables.c */
lowering_phase spgc_list_variables;

/* long_blocks.c */
lowering_phase spgc_cut_long_blocks;

/* barrier.c */
lowering_phase spgc_note_copies;
lowering_phase spgc_note_integers;
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
lowering_phase spgc_claim_leaf_effects;

/* rounds.c */
lowering_phase spgc_note_rounds;
bool spgc_is_round(LLVMValueRef instruction);
void spgc_forget_rounds(LLVMModuleRef module);

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

/* annotations.c */
lowering_phase spgc_drop_annotations;

/* foreign.c: code for another collector. */
bool spgc_is_foreign(const struct lowering *lowering);
enum spgc_result spgc_check_barriers(const struct spgc_lower_options *options,
                                     struct spgc_error *error);
lowering_phase spgc_take_polls;

/* lower.c: the phases in their order. One that only this collector needs does nothing in code for
 * another. */
size_t spgc_phase_count(void);
enum spgc_result spgc_run_phase(size_t number, struct lowering *lowering, struct spgc_error *error);

/* Runs passes over the module; an error means that the pipeline's text is wrong. */
void spgc_run_passes(struct lowering *lowering, const char *passes);

#endif
