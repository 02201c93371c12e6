#include "codegen/ir/variable.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
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

/* The function's uses of each word. */
enum use { USED_AS_REFERENCE = 1 << 0, USED_OTHERWISE = 1 << 1 };

/* Addresses inside the variable: offset, offset + stride, offset + 2 * stride, … (stride 0: only
 * the first). Not known for pointers that phis and selects join. */
struct place {
  bool known;
  uint64_t offset, stride;
};

/* A pointer into the variable whose uses are still to be read. */
struct pointer {
  LLVMValueRef value;
  struct place place;
};

struct reading {
  struct variable *variable;
  LLVMTargetDataRef data;
  uint64_t size;        /* of the variable, in bytes */
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

static void add_pointer(struct reading *reading, LLVMValueRef value, struct place place) {
  if (spgc_values_contain(&reading->met, value))
    return;
  spgc_values_add(&reading->met, value);
  if (reading->count == reading->capacity) {
    reading->capacity = 2 * reading->capacity + 8;
    reading->pointers =
        reallocarray(reading->pointers, reading->capacity, sizeof *reading->pointers);
    spgc_require(reading->pointers != NULL, "out of memory");
  }
  reading->pointers[reading->count++] = (struct pointer){value, place};
}

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static void step(struct place *place, LLVMValueRef index, uint64_t size) {
  if (LLVMIsAConstantInt(index) != NULL)
    place->offset += (uint64_t)LLVMConstIntGetSExtValue(index) * size;
  else
    place->stride = greatest_divisor(place->stride, size);
}

static LLVMTypeRef element_at(LLVMTypeRef type, LLVMValueRef index) {
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return LLVMGetElementType(type);
  return LLVMStructGetTypeAtIndex(type, (unsigned)LLVMConstIntGetZExtValue(index));
}

static struct place place_of_arithmetic(const struct reading *reading, LLVMValueRef arithmetic,
                                        struct place place) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(arithmetic);
  if (!place.known || LLVMGetTypeKind(LLVMTypeOf(arithmetic)) != LLVMPointerTypeKind)
    return (struct place){.known = false};
  step(&place, LLVMGetOperand(arithmetic, 1), LLVMABISizeOfType(reading->data, type));
  for (int i = 2; i < LLVMGetNumOperands(arithmetic); i++) {
    LLVMValueRef index = LLVMGetOperand(arithmetic, (unsigned)i);
    LLVMTypeRef element = element_at(type, index);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
      place.offset +=
          LLVMOffsetOfElement(reading->data, type, (unsigned)LLVMConstIntGetZExtValue(index));
    else
      step(&place, index, LLVMABISizeOfType(reading->data, element));
    type = element;
  }
  return place;
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
  if (offset >= reading->size)
    return; /* beyond the variable: undefined */
  unsigned char *word = &reading->words[offset / WORD];
  *word |= (unsigned char)use;
  if (*word == (USED_AS_REFERENCE | USED_OTHERWISE))
    object(reading, &punned, culprit);
}

/* The first offset, and the distance between the others: if it is the variable's size, there is
 * only one. */
struct progression {
  uint64_t first, step;
};

static struct progression offsets_of(const struct reading *reading, struct place place,
                                     uint64_t offset) {
  if (place.stride == 0)
    return (struct progression){offset, reading->size};
  int64_t rest = (int64_t)offset % (int64_t)place.stride;
  return (struct progression){(uint64_t)(rest < 0 ? rest + (int64_t)place.stride : rest),
                              place.stride};
}

struct access {
  struct reading *reading;
  LLVMValueRef instruction; /* NULL: the variable's own type */
  struct place place;
};

static void mark_reference(void *context, uint64_t offset) {
  const struct access *access = context;
  struct reading *reading = access->reading;
  LLVMValueRef culprit =
      access->instruction != NULL ? access->instruction : reading->variable->alloca;
  if (offset % WORD != 0) {
    object(reading, &misaligned, culprit);
    return;
  }
  struct progression offsets = offsets_of(reading, access->place, offset);
  for (uint64_t at = offsets.first; at < reading->size; at += offsets.step)
    mark_word(reading, at, USED_AS_REFERENCE, culprit);
}

static void mark_otherwise(const struct access *access, uint64_t bytes) {
  struct reading *reading = access->reading;
  struct progression offsets = offsets_of(reading, access->place, access->place.offset);
  for (uint64_t first = offsets.first; first < reading->size; first += offsets.step)
    for (uint64_t at = first / WORD * WORD; at < first + bytes; at += WORD)
      mark_word(reading, at, USED_OTHERWISE, access->instruction);
}

/* Notes that the instruction loads or stores a value of the type at the place. A stride that is not
 * a multiple of a word meets every word. */
static void read_access(struct reading *reading, LLVMValueRef instruction, LLVMTypeRef type,
                        struct place place) {
  bool known = place.known && place.stride % WORD == 0 && !reading->of_unknown_size;
  struct access access = {reading, instruction, place};
  if (spgc_ir_type_contains_reference(type)) {
    if (known)
      each_reference(reading->data, type, place.offset, mark_reference, &access);
    else if (reading->unknown == NULL)
      reading->unknown = instruction;
  } else if (known) {
    mark_otherwise(&access, LLVMStoreSizeOfType(reading->data, type));
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
static void read_result(struct reading *reading, LLVMValueRef call, struct place place) {
  static const char *const same[] = {"llvm.launder.", "llvm.strip.", "llvm.ptr.annotation",
                                     "llvm.ssa.copy"};
  static const char *const another[] = {"llvm.ptrmask.", "llvm.vector.insert",
                                        "llvm.vector.extract", "llvm.vector.reverse"};
  for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    if (spgc_ir_is_intrinsic(call, same[i]))
      add_pointer(reading, call, place);
  for (size_t i = 0; i < sizeof another / sizeof *another; i++)
    if (spgc_ir_is_intrinsic(call, another[i]))
      add_pointer(reading, call, (struct place){.known = false});
}

/* Numbers behind a mask, or in structures that are passed, may belong to words that are not
 * accessed; so only references count. */
static void read_call(struct reading *reading, LLVMValueRef call, LLVMValueRef pointer,
                      struct place place) {
  LLVMTypeRef masked = masked_access(call, pointer);
  if (masked != NULL && spgc_ir_type_contains_reference(masked))
    read_access(reading, call, masked, place);
  read_result(reading, call, place);
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef memory =
        LLVMGetArgOperand(call, i) == pointer ? spgc_ir_memory_of_argument(call, i) : NULL;
    if (memory != NULL)
      read_access(reading, call, memory, place);
  }
}

static void read_use(struct reading *reading, LLVMValueRef user, LLVMValueRef pointer,
                     struct place place) {
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMGetElementPtr:
    if (LLVMGetOperand(user, 0) == pointer)
      add_pointer(reading, user, place_of_arithmetic(reading, user, place));
    break;
  case LLVMBitCast:
  case LLVMFreeze: add_pointer(reading, user, place); break;
  case LLVMPHI:
  case LLVMInsertElement:
  case LLVMExtractElement:
  case LLVMShuffleVector:
  case LLVMSelect: add_pointer(reading, user, (struct place){.known = false}); break;
  case LLVMLoad: read_access(reading, user, LLVMTypeOf(user), place); break;
  case LLVMStore:
    if (LLVMGetOperand(user, 1) == pointer && !is_harmless_constant(LLVMGetOperand(user, 0)))
      read_access(reading, user, LLVMTypeOf(LLVMGetOperand(user, 0)), place);
    break;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    if (LLVMGetOperand(user, 0) == pointer)
      read_access(reading, user, LLVMTypeOf(LLVMGetOperand(user, 1)), place);
    break;
  case LLVMCall:
  case LLVMInvoke:
  case LLVMCallBr: read_call(reading, user, pointer, place); break;
  default: break;
  }
}

static void read_uses(struct reading *reading) {
  add_pointer(reading, reading->variable->alloca, (struct place){.known = true});
  for (size_t i = 0; i < reading->count; i++) {
    struct pointer pointer = reading->pointers[i];
    for (LLVMUseRef use = LLVMGetFirstUse(pointer.value); use != NULL; use = LLVMGetNextUse(use))
      if (LLVMIsAInstruction(LLVMGetUser(use)))
        read_use(reading, LLVMGetUser(use), pointer.value, pointer.place);
  }
}

static void make_runs(struct reading *reading) {
  struct variable *variable = reading->variable;
  bool holds = false;
  for (uint64_t word = 0; word < reading->size / WORD; word++) {
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
  struct access whole = {reading, NULL, {.known = true}};
  uint64_t element = LLVMABISizeOfType(reading->data, type);
  for (uint64_t start = 0;
       element != 0 && start < reading->size && spgc_ir_type_contains_reference(type);
       start += element)
    each_reference(reading->data, type, start, mark_reference, &whole);
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
  reading->words = calloc(reading->size / WORD + 1, 1);
  spgc_require(reading->words != NULL, "out of memory");
  read_type(reading);
  read_uses(reading);
  make_runs(reading);
  if (reading->unknown != NULL &&
      !spgc_ir_type_contains_reference(LLVMGetAllocatedType(variable->alloca)))
    object(reading, &hidden, reading->unknown);
  free(reading->words);
}

void spgc_variable_read(LLVMValueRef alloca, LLVMTargetDataRef data, struct variable *variable) {
  variable->alloca = alloca;
  variable->objection = NULL;
  variable->culprit = NULL;
  variable->run_count = 0;
  struct reading reading = {.variable = variable, .data = data};
  if (is_static(alloca)) {
    reading.size = LLVMConstIntGetZExtValue(LLVMGetOperand(alloca, 0)) *
                   LLVMABISizeOfType(data, LLVMGetAllocatedType(alloca));
    read_static(&reading);
  } else {
    read_dynamic(&reading);
  }
  free(reading.pointers);
  spgc_values_free(&reading.met);
}
