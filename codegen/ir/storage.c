#include "codegen/ir/storage.h"

#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

static const struct place unknown = {NULL, 0};

struct distance {
  uint64_t constant, stride;
};

/* The constant that all elements of a vector share, or NULL. A field's is always constant. */
static LLVMValueRef constant_index(LLVMValueRef index, bool is_field) {
  bool is_vector = LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind;
  if (is_vector && LLVMIsAConstant(index) && (is_field || LLVMIsNull(index)))
    index = LLVMGetAggregateElement(index, 0);
  return LLVMIsAConstantInt(index);
}

/* The elements of a scalable vector are at unknown distances. */
static void add_index(LLVMTargetDataRef data, struct distance *distance, LLVMValueRef index,
                      LLVMTypeRef type) {
  LLVMValueRef constant = constant_index(index, false);
  bool is_scalable = spgc_ir_type_is_scalable(type);
  uint64_t size = is_scalable ? 1 : LLVMABISizeOfType(data, type);
  if (constant != NULL && (!is_scalable || LLVMIsNull(constant)))
    distance->constant += (uint64_t)LLVMConstIntGetSExtValue(constant) * size;
  else if (distance->stride == 0 || size < distance->stride)
    distance->stride = size;
}

static struct distance distance_of(LLVMTargetDataRef data, LLVMValueRef arithmetic) {
  struct distance distance = {0, 0};
  LLVMTypeRef type = LLVMGetGEPSourceElementType(arithmetic);
  add_index(data, &distance, LLVMGetOperand(arithmetic, 1), type);
  for (int i = 2; i < LLVMGetNumOperands(arithmetic); i++) {
    LLVMValueRef index = LLVMGetOperand(arithmetic, (unsigned)i);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      unsigned field = (unsigned)LLVMConstIntGetZExtValue(constant_index(index, true));
      distance.constant += LLVMOffsetOfElement(data, type, field);
      type = LLVMStructGetTypeAtIndex(type, field);
    } else {
      type = LLVMGetElementType(type);
      add_index(data, &distance, index, type);
    }
  }
  return distance;
}

bool spgc_constant_distance(LLVMTargetDataRef data, LLVMValueRef arithmetic, int64_t *bytes) {
  struct distance distance = distance_of(data, arithmetic);
  *bytes = (int64_t)distance.constant;
  return distance.stride == 0;
}

static bool step_into(LLVMTargetDataRef data, struct place *place) {
  bool is_array = LLVMGetTypeKind(place->type) == LLVMArrayTypeKind;
  if (!is_array && (!spgc_is_aggregate(place->type) || spgc_aggregate_count(place->type) == 0))
    return false;
  unsigned part = spgc_aggregate_at(data, place->type, &place->offset);
  place->type = spgc_aggregate_part(place->type, part);
  return true;
}

static bool repeats(LLVMTargetDataRef data, struct place place, uint64_t stride) {
  do
    if (LLVMGetTypeKind(place.type) == LLVMArrayTypeKind) {
      uint64_t size = LLVMABISizeOfType(data, LLVMGetElementType(place.type));
      if (size != 0 && stride % size == 0)
        return true;
    }
  while (step_into(data, &place));
  return false;
}

static bool meets_references_only(LLVMTargetDataRef data, struct place place, uint64_t stride) {
  uint64_t size = LLVMABISizeOfType(data, place.type), at = place.offset;
  if (stride % IR_WORD != 0 || at % IR_WORD != 0 || at >= size)
    return false;
  for (at %= stride; at < size; at += stride)
    if (spgc_storage_at(data, (struct place){place.type, at}, 0) != STORAGE_REFERENCE)
      return false;
  return true;
}

static bool is_arithmetic(LLVMValueRef pointer) {
  return LLVMIsAGetElementPtrInst(pointer) != NULL ||
         (LLVMIsAConstantExpr(pointer) != NULL && LLVMGetConstOpcode(pointer) == LLVMGetElementPtr);
}

static struct place place_of_arithmetic(LLVMTargetDataRef data, LLVMValueRef arithmetic,
                                        struct place place) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(arithmetic);
  struct distance distance = distance_of(data, arithmetic);
  if (place.type == NULL && LLVMGetTypeKind(type) != LLVMStructTypeKind)
    return unknown;
  bool first = place.type == NULL;
  if (first)
    place.type = type;
  place.offset += distance.constant;
  if (first && place.offset < LLVMABISizeOfType(data, type))
    return place;
  bool alike = distance.stride == 0 || repeats(data, place, distance.stride) ||
               meets_references_only(data, place, distance.stride);
  return alike ? place : unknown;
}

static LLVMValueRef renamed(LLVMValueRef pointer) {
  if (LLVMIsAGlobalAlias(pointer) != NULL)
    return LLVMAliasGetAliasee(pointer);
  if (LLVMIsABitCastInst(pointer) != NULL || LLVMIsAFreezeInst(pointer) != NULL ||
      (LLVMIsAConstantExpr(pointer) != NULL && LLVMGetConstOpcode(pointer) == LLVMBitCast))
    return LLVMGetOperand(pointer, 0);
  return LLVMIsAInstruction(pointer) != NULL &&
                 spgc_ir_is_intrinsic(pointer, "llvm.threadlocal.address")
             ? LLVMGetArgOperand(pointer, 0)
             : NULL;
}

static LLVMTypeRef type_of_parameter(LLVMValueRef parameter) {
  unsigned index = 0;
  for (LLVMValueRef other = parameter; (other = LLVMGetPreviousParam(other)) != NULL;)
    index++;
  return spgc_ir_memory_type(LLVMGetParamParent(parameter), index);
}

static LLVMTypeRef type_of_local(LLVMValueRef alloca) {
  LLVMTypeRef type = LLVMGetAllocatedType(alloca);
  LLVMValueRef count = LLVMGetOperand(alloca, 0);
  bool is_one = LLVMIsAConstantInt(count) == NULL || LLVMConstIntGetZExtValue(count) <= 1;
  return is_one ? type : LLVMArrayType2(type, LLVMConstIntGetZExtValue(count));
}

LLVMTypeRef spgc_type_of_variable(LLVMValueRef variable) {
  return LLVMIsAAllocaInst(variable) != NULL       ? type_of_local(variable)
         : LLVMIsAGlobalVariable(variable) != NULL ? LLVMGlobalGetValueType(variable)
         : LLVMIsAArgument(variable) != NULL       ? type_of_parameter(variable)
                                                   : NULL;
}

static bool place_of_variable(LLVMValueRef pointer, struct place *place) {
  *place = (struct place){spgc_type_of_variable(pointer), 0};
  return place->type != NULL;
}

struct place spgc_place_of(LLVMTargetDataRef data, LLVMValueRef pointer) {
  struct place place;
  if (place_of_variable(pointer, &place))
    return place;
  if (is_arithmetic(pointer))
    return place_of_arithmetic(data, pointer, spgc_place_of(data, LLVMGetOperand(pointer, 0)));
  LLVMValueRef other = renamed(pointer);
  return other != NULL ? spgc_place_of(data, other) : unknown;
}

struct search {
  LLVMTargetDataRef data;
  struct places *places;
  struct values choices;
};

static void add_place(struct places *places, struct variable_place place) {
  if (places->count < PLACES_MOST)
    places->at[places->count++] = place;
  else
    places->are_all = false;
}

static void find_places(struct search *search, LLVMValueRef pointer);

/* The result of malloc is not a variable's address. */
static bool is_new_memory(LLVMValueRef pointer) {
  LLVMValueRef callee = spgc_ir_is_call(pointer) ? spgc_ir_callee(pointer) : NULL;
  return callee != NULL &&
         spgc_ir_attribute_at(callee, LLVMAttributeReturnIndex, "noalias") != NULL;
}

/* A choice that is its own operand is a pointer that a loop advances. Its start decides. */
static void find_places_of_choice(struct search *search, LLVMValueRef choice) {
  if (spgc_values_contain(&search->choices, choice))
    return;
  spgc_values_add(&search->choices, choice);
  if (LLVMIsAPHINode(choice))
    for (unsigned i = 0; i < LLVMCountIncoming(choice) && search->places->are_all; i++)
      find_places(search, LLVMGetIncomingValue(choice, i));
  else
    for (unsigned i = 1; i <= 2; i++)
      find_places(search, LLVMGetOperand(choice, i));
}

static void find_places(struct search *search, LLVMValueRef pointer) {
  struct places *places = search->places;
  struct place place;
  unsigned first = places->count;
  if (place_of_variable(pointer, &place)) {
    add_place(places, (struct variable_place){pointer, place});
  } else if (is_arithmetic(pointer)) {
    find_places(search, LLVMGetOperand(pointer, 0));
    for (unsigned i = first; i < places->count; i++)
      places->at[i].place = place_of_arithmetic(search->data, pointer, places->at[i].place);
  } else if (LLVMIsAPHINode(pointer) != NULL || LLVMIsASelectInst(pointer) != NULL) {
    find_places_of_choice(search, pointer);
  } else if (renamed(pointer) != NULL) {
    find_places(search, renamed(pointer));
  } else if (LLVMIsAConstant(pointer) == NULL && !is_new_memory(pointer)) {
    places->are_elsewhere = true;
  }
}

void spgc_places_of(LLVMTargetDataRef data, LLVMValueRef pointer, struct places *places) {
  struct search search = {.data = data, .places = places};
  places->count = 0;
  places->are_all = true;
  places->are_elsewhere = false;
  find_places(&search, pointer);
  spgc_values_free(&search.choices);
}

enum storage spgc_storage_at(LLVMTargetDataRef data, struct place place, uint64_t offset) {
  if (place.type == NULL)
    return STORAGE_UNKNOWN;
  place.offset += offset;
  while (step_into(data, &place))
    continue;
  return spgc_ir_type_contains_reference(place.type) ? STORAGE_REFERENCE : STORAGE_NUMBER;
}

bool spgc_storage_each_reference(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t offset,
                                 storage_visitor *visit, void *context) {
  if (!spgc_ir_type_contains_reference(type))
    return true;
  if (spgc_ir_type_is_reference(type))
    return visit(context, offset, 1);
  if (spgc_ir_type_is_reference_vector(type))
    return visit(context, offset, LLVMGetVectorSize(type));
  uint64_t count = spgc_aggregate_count(type);
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind &&
      spgc_ir_type_is_reference(LLVMGetElementType(type)))
    return visit(context, offset, count);
  bool goes_on = true;
  for (unsigned i = 0; i < count && goes_on; i++)
    goes_on =
        spgc_storage_each_reference(data, spgc_aggregate_part(type, i),
                                    offset + spgc_aggregate_offset(data, type, i), visit, context);
  return goes_on;
}

/* Up to the end of the place's array. An array at an object's end has no length in its type. */
uint64_t spgc_storage_size(LLVMTargetDataRef data, struct place place) {
  if (place.type == NULL)
    return IR_WORD;
  uint64_t rest = LLVMABISizeOfType(data, place.type) - place.offset;
  do
    if (LLVMGetTypeKind(place.type) == LLVMArrayTypeKind) {
      uint64_t size = LLVMABISizeOfType(data, place.type);
      return size > place.offset ? size - place.offset
                                 : LLVMABISizeOfType(data, LLVMGetElementType(place.type));
    }
  while (step_into(data, &place));
  return rest;
}
