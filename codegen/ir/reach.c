#include "codegen/ir/reach.h"

#include <stddef.h>

static uint64_t greatest_divisor(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Gives up the bounds. */
static void loosen(struct reach *reach, uint64_t stride) {
  reach->stride = greatest_divisor(reach->stride, stride);
  for (unsigned i = 0; i < reach->dimensions; i++)
    reach->stride = greatest_divisor(reach->stride, reach->dimension[i].stride);
  reach->dimensions = 0;
}

static uint64_t least_stride(const struct reach *reach) {
  uint64_t least = UINT64_MAX;
  for (unsigned i = 0; i < reach->dimensions; i++)
    if (reach->dimension[i].stride < least)
      least = reach->dimension[i].stride;
  return least;
}

/* From an element of an array, the distance leads to a part of this element, or, where it is
 * longer, perhaps to another element. */
static void add_distance(struct reach *reach, uint64_t distance) {
  if (distance >= least_stride(reach))
    loosen(reach, 0);
  reach->offset += distance;
}

/* There are never more addresses to visit than the variable has bytes. */
static bool has_room(const struct reached *variable, const struct reach *reach, uint64_t count) {
  for (unsigned i = 0; i < reach->dimensions; i++)
    count *= reach->dimension[i].count;
  return reach->dimensions < REACH_DIMENSIONS && count <= variable->size;
}

static void add_dimension(const struct reached *variable, struct reach *reach, uint64_t stride,
                          uint64_t count) {
  uint64_t most = variable->size / stride + 1;
  if (count > most)
    count = most;
  if (has_room(variable, reach, count))
    reach->dimension[reach->dimensions++] = (struct dimension){stride, count};
  else
    loosen(reach, stride);
}

/* Bytes of an array in the variable. */
struct extent {
  uint64_t start, size; /* size 0: none */
};

static LLVMTypeRef innermost_element(LLVMTypeRef type) {
  while (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    type = LLVMGetElementType(type);
  return type;
}

/* The array that holds the offset, and whose elements are `stride` bytes long, or parts of such. An
 * array of arrays is one array. */
static struct extent array_at(const struct reached *variable, uint64_t offset, uint64_t stride) {
  LLVMTypeRef type = variable->type;
  uint64_t start = 0, size = LLVMABISizeOfType(variable->data, type);
  if (size != variable->size)
    return (struct extent){0, 0};
  for (; offset - start < size; size = LLVMABISizeOfType(variable->data, type)) {
    if (LLVMGetTypeKind(type) == LLVMArrayTypeKind) {
      uint64_t element = LLVMABISizeOfType(variable->data, innermost_element(type));
      if (stride % element == 0)
        return (struct extent){start, stride < size ? size : 0};
      type = innermost_element(type);
      start += (offset - start) / element * element;
    } else if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      unsigned field = LLVMElementAtOffset(variable->data, type, offset - start);
      start += LLVMOffsetOfElement(variable->data, type, field);
      type = LLVMStructGetTypeAtIndex(type, field);
    } else {
      break;
    }
  }
  return (struct extent){0, 0};
}

/* Steps of `stride` bytes, as many as an index says, from a pointer to an array's element. */
static void step_in_array(const struct reached *variable, struct reach *reach, uint64_t stride) {
  struct extent array = {0, 0};
  if (reach->dimensions == 0)
    array = array_at(variable, reach->offset, stride);
  if (array.size == 0) {
    loosen(reach, stride);
    return;
  }
  uint64_t first = (reach->offset - array.start) % stride;
  reach->offset = array.start + first;
  add_dimension(variable, reach, stride, (array.size - first + stride - 1) / stride);
}

/* The index counts elements of `stride` bytes, `count` of them where that is known (otherwise 0).
 * An array of one element may be the open end of a structure. */
static void step(const struct reached *variable, struct reach *reach, LLVMValueRef index,
                 uint64_t stride, uint64_t count) {
  if (LLVMIsAConstantInt(index) != NULL)
    add_distance(reach, (uint64_t)LLVMConstIntGetSExtValue(index) * stride);
  else if (stride == 0)
    return;
  else if (variable->optimised || reach->stride != 0 || count == 1)
    loosen(reach, stride);
  else if (count == 0)
    step_in_array(variable, reach, stride);
  else
    add_dimension(variable, reach, stride, count);
}

struct reach spgc_reach_of_arithmetic(const struct reached *variable, LLVMValueRef arithmetic,
                                      struct reach from) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(arithmetic);
  struct reach reach = from;
  if (!from.known || LLVMGetTypeKind(LLVMTypeOf(arithmetic)) != LLVMPointerTypeKind)
    return (struct reach){.known = false};
  step(variable, &reach, LLVMGetOperand(arithmetic, 1), LLVMABISizeOfType(variable->data, type), 0);
  for (int i = 2; i < LLVMGetNumOperands(arithmetic); i++) {
    LLVMValueRef index = LLVMGetOperand(arithmetic, (unsigned)i);
    if (LLVMGetTypeKind(type) == LLVMStructTypeKind) {
      unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);
      add_distance(&reach, LLVMOffsetOfElement(variable->data, type, field));
      type = LLVMStructGetTypeAtIndex(type, field);
    } else {
      uint64_t count = LLVMGetTypeKind(type) == LLVMArrayTypeKind ? LLVMGetArrayLength2(type)
                                                                  : LLVMGetVectorSize(type);
      type = LLVMGetElementType(type);
      step(variable, &reach, index, LLVMABISizeOfType(variable->data, type), count);
    }
  }
  return reach;
}

bool spgc_reach_is_multiple_of(const struct reach *reach, uint64_t bytes) {
  bool multiple = reach->known && reach->stride % bytes == 0;
  for (unsigned i = 0; multiple && i < reach->dimensions; i++)
    multiple = reach->dimension[i].stride % bytes == 0;
  return multiple;
}

/* Each number below the product of the counts stands for one choice of indices. */
static void visit_elements(const struct reach *reach, uint64_t first,
                           void (*visit)(void *context, uint64_t offset), void *context) {
  uint64_t elements = 1;
  for (unsigned i = 0; i < reach->dimensions; i++)
    elements *= reach->dimension[i].count;
  for (uint64_t element = 0; element < elements; element++) {
    uint64_t offset = first, rest = element;
    for (unsigned i = 0; i < reach->dimensions; i++) {
      offset += rest % reach->dimension[i].count * reach->dimension[i].stride;
      rest /= reach->dimension[i].count;
    }
    visit(context, offset);
  }
}

void spgc_reach_each(const struct reached *variable, const struct reach *reach, uint64_t first,
                     void (*visit)(void *context, uint64_t offset), void *context) {
  if (reach->stride == 0) {
    visit_elements(reach, first, visit, context);
    return;
  }
  int64_t rest = (int64_t)first % (int64_t)reach->stride;
  for (uint64_t at = (uint64_t)(rest < 0 ? rest + (int64_t)reach->stride : rest);
       at < variable->size; at += reach->stride)
    visit(context, at);
}
