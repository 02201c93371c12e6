/* LLVM's pointers have no element types, so a word's declared type comes from a variable, a
 * parameter's attribute, or the structure that address arithmetic enters. */
#ifndef SPGC_CODEGEN_IR_STORAGE_H
#define SPGC_CODEGEN_IR_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum storage {
  STORAGE_UNKNOWN,
  STORAGE_REFERENCE,
  STORAGE_NUMBER,
};

/* `type` is NULL if unknown. */
struct place {
  LLVMTypeRef type;
  uint64_t offset;
};

struct place spgc_place_of(LLVMTargetDataRef data, LLVMValueRef pointer);

/* False if an index is not constant. */
bool spgc_constant_distance(LLVMTargetDataRef data, LLVMValueRef arithmetic, int64_t *bytes);

/* The places in variables that a pointer may refer to, through phis and selects; without `are_all`
 * there are more. `are_elsewhere`: it comes from a caller, a call or memory, and may be any
 * variable's address. */
enum { PLACES_MOST = 64 };

struct variable_place {
  LLVMValueRef variable;
  struct place place;
};

struct places {
  struct variable_place at[PLACES_MOST];
  unsigned count;
  bool are_all;
  bool are_elsewhere;
};

/* A parameter's comes from an attribute; NULL without one. */
LLVMTypeRef spgc_type_of_variable(LLVMValueRef variable);

void spgc_places_of(LLVMTargetDataRef data, LLVMValueRef pointer, struct places *places);

enum storage spgc_storage_at(LLVMTargetDataRef data, struct place place, uint64_t offset);

/* Visits runs of words declared as references until `visit` returns false. Adjacent runs may be
 * separate. */
typedef bool storage_visitor(void *context, uint64_t offset, uint64_t words);
bool spgc_storage_each_reference(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t offset,
                                 storage_visitor *visit, void *context);

/* The most bytes of a copy of unknown length. */
uint64_t spgc_storage_size(LLVMTargetDataRef data, struct place place);

#endif
