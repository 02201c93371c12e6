#include "codegen/ir/variable.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/reach.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

enum { WORD = 8, MOST_RUN_WORDS = UINT16_MAX };

static const struct objection hidden = {
    12,
    "a local variable holds a reference at a place that its type does not show, so the collector "
    "would not find it",
    "declare the variable with the type of its contents (in a union, the reference first)"};
static const struct objection punned = {
    11, "a word of a local variable holds a reference and is also used as something else",
    "use different variables or fields for references and for numbers, and compare references as "
    "pointers"};
static const struct objection dynamic = {
    13, "a local variable of varying size holds references, and a stack map cannot list it",
    "give it a constant size at the start of the function, or allocate an object"};
static const struct objection misaligned = {
    14, "a reference in a local variable is not aligned to 8 bytes",
    "do not pack structures with references"};
static const struct objection scattered = {
    14, "a local variable holds references in more places than a stack map should list",
    "allocate an object, or keep the references in an array of their own"};

/* The function's uses of each word. A word is shown to be a reference by the variable's type, or
 * was by an access before the optimiser ran. */
enum use { USED_AS_REFERENCE = 1 << 0, USED_OTHERWISE = 1 << 1, SHOWN = 1 << 2 };

/* A pointer into the variable whose uses are still to be read. */
struct pointer {
  LLVMValueRef value;
  struct reach reach;
};

struct reading {
  struct variable *variable;
  struct reached reached;
  bool of_unknown_size; /* no place in it is known then */
  unsigned char *words;
  struct pointer *pointers;
  size_t count, capacity;
  struct values met;
  LLVMValueRef unknown; /* loads or stores a reference at an unknown place; or NULL */
};

static void object(struct reading *reading, const struct objection *objection,
                   LLVMValueRef culprit) {
  if (reading->variable->objection == NULL) {
    reading->variable->objection = objection;
    reading->variable->culprit = culprit;
  }
}

static void add_pointer(struct reading *reading, LLVMValueRef value, struct reach reach) {
  if (spgc_values_contain(&reading->met, value))
    return;
  spgc_values_add(&reading->met, value);
  if (reading->count == reading->capacity) {
    reading->capacity = 2 * reading->capacity + 8;
    reading->pointers =
        reallocarray(reading->pointers, reading->capacity, sizeof *reading->pointers);
    spgc_require(reading->pointers != NULL, "out of memory");
  }
  reading->pointers[reading->count++] = (struct pointer){value, reach};
}

/* Calls `visit` with the offset of each reference in a value of the type, from `offset` on. */
static void each_reference(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t offset,
                           void (*visit)(void *context, uint64_t offset), void *context) {
  if (!spgc_ir_type_contains_reference(type))
    return;
  if (spgc_ir_type_is_reference(type)) {
    visit(context, offset);
  } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      each_reference(data, LLVMStructGetTypeAtIndex(type, i),
                     offset + LLVMOffsetOfElement(data, type, i), visit, context);
  } else {
    LLVMTypeRef element = LLVMGetElementType(type);
    bool is_array = LLVMGetTypeKind(type) == LLVMArrayTypeKind;
    uint64_t count = is_array ? LLVMGetArrayLength2(type) : LLVMGetVectorSize(type);
    for (uint64_t i = 0; i < count; i++)
      each_reference(data, element, offset + i * LLVMABISizeOfType(data, element), visit, context);
  }
}

static void mark_word(struct reading *reading, uint64_t offset, enum use use,
                      LLVMValueRef culprit) {
  if (offset >= reading->reached.size)
    return; /* beyond the variable: undefined */
  unsigned char *word = &reading->words[offset / WORD];
  *word |= (unsigned char)use;
  if ((*word & USED_AS_REFERENCE) != 0 && (*word & USED_OTHERWISE) != 0)
    object(reading, &punned, culprit);
}

struct access {
  struct reading *reading;
  LLVMValueRef instruction; /* NULL: the variable's own type */
  struct reach reach;
  uint64_t bytes; /* of what is no reference */
  bool explained;
};

static LLVMValueRef culprit_of(const struct access *access) {
  return access->instruction != NULL ? access->instruction : access->reading->variable->alloca;
}

static void mark_reference_at(void *context, uint64_t offset) {
  const struct access *access = context;
  mark_word(access->reading, offset, USED_AS_REFERENCE, culprit_of(access));
}

static void mark_otherwise_at(void *context, uint64_t offset) {
  const struct access *access = context;
  for (uint64_t at = offset / WORD * WORD; at < offset + access->bytes; at += WORD)
    mark_word(access->reading, at, USED_OTHERWISE, access->instruction);
}

static bool is_shown(const struct reading *reading, uint64_t offset) {
  return offset < reading->reached.size && (reading->words[offset / WORD] & SHOWN) != 0;
}

static void explain_reference_at(void *context, uint64_t offset) {
  struct access *access = context;
  access->explained = access->explained || is_shown(access->reading, offset);
}

static void explain_otherwise_at(void *context, uint64_t offset) {
  struct access *access = context;
  bool shown = offset >= access->reading->reached.size;
  for (uint64_t at = offset / WORD * WORD; at < offset + access->bytes; at += WORD)
    shown = shown || is_shown(access->reading, at);
  access->explained = access->explained || !shown;
}

/* The optimiser has hidden how far the access reaches. It says nothing new if it may mean words
 * that are known to be of its kind already: before the optimiser ran, it was judged by them. */
static bool is_explained(struct access *access, uint64_t offset,
                         void (*explain)(void *access, uint64_t offset)) {
  access->explained = false;
  if (access->reading->reached.optimised && access->reach.stride != 0)
    spgc_reach_each(&access->reading->reached, &access->reach, offset, explain, access);
  return access->explained;
}

static void mark_reference(void *context, uint64_t offset) {
  struct access *access = context;
  if (offset % WORD != 0)
    object(access->reading, &misaligned, culprit_of(access));
  else if (!is_explained(access, offset, explain_reference_at))
    spgc_reach_each(&access->reading->reached, &access->reach, offset, mark_reference_at, access);
}

static void mark_otherwise(struct access *access) {
  if (!is_explained(access, access->reach.offset, explain_otherwise_at))
    spgc_reach_each(&access->reading->reached, &access->reach, access->reach.offset,
                    mark_otherwise_at, access);
}

/* Notes that the instruction loads or stores a value of the type within the reach. A stride that is
 * not a multiple of a word meets every word. */
static void read_access(struct reading *reading, LLVMValueRef instruction, LLVMTypeRef type,
                        struct reach reach) {
  bool known = spgc_reach_is_multiple_of(&reach, WORD) && !reading->of_unknown_size;
  struct access access = {.reading = reading,
                          .instruction = instruction,
                          .reach = reach,
                          .bytes = LLVMStoreSizeOfType(reading->reached.data, type)};
  if (spgc_ir_type_contains_reference(type)) {
    if (known)
      each_reference(reading->reached.data, type, reach.offset, mark_reference, &access);
    else if (reading->unknown == NULL)
      reading->unknown = instruction;
  } else if (known) {
    mark_otherwise(&access);
  }
}

static bool is_harmless_constant(LLVMValueRef value) {
  return LLVMIsAConstant(value) != NULL && !spgc_ir_type_contains_reference(LLVMTypeOf(value));
}

/* The type of what a masked intrinsic reads or writes at the pointer, although the mask may leave
 * elements out; NULL if it does neither. */
static LLVMTypeRef masked_access(LLVMValueRef call, LLVMValueRef pointer) {
  bool stores = spgc_ir_is_intrinsic(call, "llvm.masked.store.") ||
                spgc_ir_is_intrinsic(call, "llvm.masked.scatter.");
  bool loads = spgc_ir_is_intrinsic(call, "llvm.masked.load.") ||
               spgc_ir_is_intrinsic(call, "llvm.masked.gather.");
  if (stores && LLVMGetOperand(call, 1) == pointer)
    return LLVMTypeOf(LLVMGetOperand(call, 0));
  return loads && LLVMGetOperand(call, 0) == pointer ? LLVMTypeOf(call) : NULL;
}

/* Intrinsics whose result is a pointer that they are given. */
static void read_result(struct reading *reading, LLVMValueRef call, struct reach reach) {
  static const char *const same[] = {"llvm.launder.", "llvm.strip.", "llvm.ptr.annotation",
                                     "llvm.ssa.copy"};
  static const char *const another[] = {"llvm.ptrmask.", "llvm.vector.insert",
                                        "llvm.vector.extract", "llvm.vector.reverse"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (spgc_ir_is_intrinsic(call, same[i]))
      add_pointer(reading, call, reach);
  for (size_t i = 0; i < sizeof another / sizeof *another; i++)
    if (spgc_ir_is_intrinsic(call, another[i]))
      add_pointer(reading, call, (struct reach){.known = false});
}

/* Numbers behind a mask, or in structures that are passed, may belong to words that are not
 * accessed; so only references count. */
static void read_call(struct reading *reading, LLVMValueRef call, LLVMValueRef pointer,
                      struct reach reach) {
  LLVMTypeRef masked = masked_access(call, pointer);
  if (masked != NULL && spgc_ir_type_contains_reference(masked))
    read_access(reading, call, masked, reach);
  read_result(reading, call, reach);
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef memory =
        LLVMGetArgOperand(call, i) == pointer ? spgc_ir_memory_of_argument(call, i) : NULL;
    if (memory != NULL)
      read_access(reading, call, memory, reach);
  }
}

static void read_use(struct reading *reading, LLVMValueRef user, LLVMValueRef pointer,
                     struct reach reach) {
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMGetElementPtr:
    if (LLVMGetOperand(user, 0) == pointer)
      add_pointer(reading, user, spgc_reach_of_arithmetic(&reading->reached, user, reach));
    break;
  case LLVMBitCast:
  case LLVMFreeze: add_pointer(reading, user, reach); break;
  case LLVMPHI:
  case LLVMInsertElement:
  case LLVMExtractElement:
  case LLVMShuffleVector:
  case LLVMSelect: add_pointer(reading, user, (struct reach){.known = false}); break;
  case LLVMLoad: read_access(reading, user, LLVMTypeOf(user), reach); break;
  case LLVMStore:
    if (LLVMGetOperand(user, 1) == pointer && !is_harmless_constant(LLVMGetOperand(user, 0)))
      read_access(reading, user, LLVMTypeOf(LLVMGetOperand(user, 0)), reach);
    break;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    if (LLVMGetOperand(user, 0) == pointer)
      read_access(reading, user, LLVMTypeOf(LLVMGetOperand(user, 1)), reach);
    break;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr: read_call(reading, user, pointer, reach); break;
  default: break;
  }
}

static void read_uses(struct reading *reading) {
  add_pointer(reading, reading->variable->alloca, (struct reach){.known = true});
  for (size_t i = 0; i < reading->count; i++) {
    struct pointer pointer = reading->pointers[i];
    for (LLVMUseRef use = LLVMGetFirstUse(pointer.value); use != NULL; use = LLVMGetNextUse(use))
      if (LLVMIsAInstruction(LLVMGetUser(use)))
        read_use(reading, LLVMGetUser(use), pointer.value, pointer.reach);
  }
}

static void make_runs(struct reading *reading) {
  struct variable *variable = reading->variable;
  bool holds = false;
  for (uint64_t word = 0; word < reading->reached.size / WORD; word++) {
    bool goes_on = holds && variable->runs[variable->run_count - 1].words < MOST_RUN_WORDS;
    holds = (reading->words[word] & USED_AS_REFERENCE) != 0;
    if (!holds)
      continue;
    if (goes_on) {
      variable->runs[variable->run_count - 1].words++;
    } else if (variable->run_count < VARIABLE_MOST_RUNS) {
      variable->runs[variable->run_count++] = (struct variable_run){word * WORD, 1};
    } else {
      object(reading, &scattered, variable->alloca);
      return;
    }
  }
}

/* True if the alloca has one place in each frame. */
static bool is_static(LLVMValueRef alloca) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(alloca);
  return block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block)) &&
         LLVMIsAConstantInt(LLVMGetOperand(alloca, 0)) != NULL;
}

/* Notes the references in the type of each element. */
static void read_type(struct reading *reading) {
  LLVMTypeRef type = LLVMGetAllocatedType(reading->variable->alloca);
  struct access whole = {.reading = reading, .reach = {.known = true}};
  uint64_t element = LLVMABISizeOfType(reading->reached.data, type);
  for (uint64_t start = 0;
       element != 0 && start < reading->reached.size && spgc_ir_type_contains_reference(type);
       start += element)
    each_reference(reading->reached.data, type, start, mark_reference, &whole);
}

static unsigned note_kind(LLVMValueRef alloca) {
  static const char name[] = PRELUDE_PREFIX "references";
  return LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(alloca)), name, sizeof name - 1);
}

/* Marks the references that were there before the optimiser ran. */
static void read_note(struct reading *reading) {
  LLVMValueRef alloca = reading->variable->alloca;
  LLVMValueRef note = LLVMGetMetadata(alloca, note_kind(alloca)), runs[2 * VARIABLE_MOST_RUNS];
  unsigned count = note != NULL ? (unsigned)LLVMGetMDNodeNumOperands(note) : 0;
  spgc_require(count <= 2 * VARIABLE_MOST_RUNS, "a variable has %u numbers as its note", count);
  if (note != NULL)
    LLVMGetMDNodeOperands(note, runs);
  for (unsigned i = 0; i < count; i += 2)
    for (uint64_t word = 0; word < LLVMConstIntGetZExtValue(runs[i + 1]); word++)
      mark_word(reading, LLVMConstIntGetZExtValue(runs[i]) + word * WORD, USED_AS_REFERENCE,
                alloca);
}

static void show_references(struct reading *reading) {
  read_type(reading);
  if (reading->reached.optimised)
    read_note(reading);
  for (uint64_t word = 0; word <= reading->reached.size / WORD; word++)
    if (reading->words[word] != 0)
      reading->words[word] |= SHOWN;
}

static void read_dynamic(struct reading *reading) {
  struct variable *variable = reading->variable;
  reading->of_unknown_size = true;
  read_uses(reading);
  bool holds = reading->unknown != NULL ||
               spgc_ir_type_contains_reference(LLVMGetAllocatedType(variable->alloca));
  variable->objection = holds ? &dynamic : NULL;
  variable->culprit = variable->alloca;
}

static void read_static(struct reading *reading) {
  struct variable *variable = reading->variable;
  reading->words = calloc(reading->reached.size / WORD + 1, 1);
  spgc_require(reading->words != NULL, "out of memory");
  show_references(reading);
  read_uses(reading);
  make_runs(reading);
  if (reading->unknown != NULL &&
      !spgc_ir_type_contains_reference(LLVMGetAllocatedType(variable->alloca)))
    object(reading, &hidden, reading->unknown);
  free(reading->words);
}

void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, bool optimised,
                        struct variable *variable) {
  variable->alloca = alloca;
  variable->objection = NULL;
  variable->culprit = NULL;
  variable->run_count = 0;
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);
  struct reading reading = {.variable = variable,
                            .reached = {.data = data, .type = type, .optimised = optimised}};
  if (is_static(alloca)) {
    reading.reached.size =
        LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0)) * LLVMABISizeOfType(data, type);
    read_static(&reading);
  } else {
    read_dynamic(&reading);
  }
  free(reading.pointers);
  spgc_values_free(&reading.met);
}

void spgc_variable_note(const struct variable *variable) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(variable->alloca));
  LLVMTypeRef number = LLVMInt64TypeInContext(context);
  LLVMMetadataRef runs[2 * VARIABLE_MOST_RUNS];
  for (size_t i = 0; i < variable->run_count; i++) {
    struct variable_run run = variable->runs[i];
    runs[2 * i] = LLVMValueAsMetadata(LLVMConstInt(number, run.offset, false));
    runs[2 * i + 1] = LLVMValueAsMetadata(LLVMConstInt(number, run.words, false));
  }
  LLVMMetadataRef note = LLVMMDNodeInContext2(context, runs, 2 * variable->run_count);
  LLVMSetMetadata(variable->alloca, note_kind(variable->alloca),
                  variable->run_count != 0 ? LLVMMetadataAsValue(context, note) : NULL);
}

void spgc_variable_forget(LLVMValueRef alloca) {
  LLVMSetMetadata(alloca, note_kind(alloca), NULL);
}
