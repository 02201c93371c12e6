/* What the types of a module declare a word of memory to be.
 *
 * Pointers have no element types in LLVM, so the type comes from the variable that the place lies
 * in, from the attribute of a parameter that is passed in memory, or from the structure that
 * address arithmetic enters.
 */
#ifndef SPGC_CODEGEN_IR_STORAGE_H
#define SPGC_CODEGEN_IR_STORAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

enum storage {
  STORAGE_UNKNOWN,
  STORAGE_REFERENCE, /* declared as a reference */
  STORAGE_NUMBER,    /* declared as anything else */
};

/* `type` is NULL where nothing is known. */
struct place {
  LLVMTypeRef type;
  uint64_t offset;
};

struct place spgc_place_of(LLVMTargetDataRef data, LLVMValueRef pointer);

/* The bytes that address arithmetic adds; false where an index is not constant. */
bool spgc_constant_distance(LLVMTargetDataRef data, LLVMValueRef arithmetic, int64_t *bytes);

/* The places in variables that a pointer may mean, through phis and selects, too, which
 * spgc_place_of does not follow. `are_all` is false if there are more. Other memory that it may
 * mean is not among them: `are_elsewhere` is true if it may be the address of any variable, because
 * a caller, a call or memory gave it. */
enum { PLACES_MOST = 64 };

struct variable_place {
  LLVMValueRef variable; /* an alloca or a global variable */
  struct place place;
};

struct places {
  struct variable_place at[PLACES_MOST];
  unsigned count;
  bool are_all;
  bool are_elsewhere;
};

/* The type of a variable; of a parameter, that of the memory that it points to, if an attribute
 * tells it; or NULL. */
LLVMTypeRef spgc_type_of_variable(LLVMValueRef variable);

void spgc_places_of(LLVMTargetDataRef data, LLVMValueRef pointer, struct places *places);

/* The storage of the word at an offset from a place. */
enum storage spgc_storage_at(LLVMTargetDataRef data, struct place place, uint64_t offset);

/* Calls `visit` for each run of words in a type that are declared as references, in order:
 * neighbours may be runs of their own. Ends when it returns false. */
typedef bool storage_visitor(void *context, uint64_t offset, uint64_t words);
bool spgc_storage_each_reference(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t offset,
                                 storage_visitor *visit, void *context);

/* The bytes that a copy from a place may take when its length is not known. */
uint64_t spgc_storage_size(LLVMTargetDataRef data, struct place place);

#endif
