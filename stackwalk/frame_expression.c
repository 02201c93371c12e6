#include "stackwalk/frame_expression.h"

#include "support/byte_cursor.h"

/* DW_OP_*. A range's first operation stands for it; the distance from it is an operand. */
enum {
  DEREFERENCE = 0x06,
  CONSTANT_U1 = 0x08,
  CONSTANT_S1 = 0x09,
  CONSTANT_U2 = 0x0a,
  CONSTANT_S2 = 0x0b,
  CONSTANT_U4 = 0x0c,
  CONSTANT_S4 = 0x0d,
  CONSTANT_UNSIGNED = 0x10,
  CONSTANT_SIGNED = 0x11,
  AND = 0x1a,
  MINUS = 0x1c,
  PLUS = 0x22,
  PLUS_UNSIGNED = 0x23,
  LITERAL = 0x30,
  REGISTER = 0x70,
  RANGE = 32,
};

enum { DEPTH = 8 };

struct evaluation {
  const struct frame_expression_context *context;
  struct byte_cursor at;
  uintptr_t stack[DEPTH];
  unsigned depth;
  bool failed;
};

static void push(struct evaluation *evaluation, uintptr_t value) {
  if (evaluation->depth == DEPTH)
    evaluation->failed = true;
  else
    evaluation->stack[evaluation->depth++] = value;
}

static uintptr_t pop(struct evaluation *evaluation) {
  if (evaluation->depth == 0) {
    evaluation->failed = true;
    return 0;
  }
  return evaluation->stack[--evaluation->depth];
}

static uintptr_t read_word(struct evaluation *evaluation, uintptr_t address) {
  const struct frame_expression_context *context = evaluation->context;
  uintptr_t lowest = frame_stack_pointer(context->frame);
  if (address == 0 || address < lowest || address >= context->limit.word ||
      address % WORD_SIZE != 0) {
    evaluation->failed = true;
    return 0;
  }
  return *(const uintptr_t *)address;
}

static uintptr_t read_register(struct evaluation *evaluation, unsigned reg) {
  const struct suspended_frame *frame = evaluation->context->frame;
  if (reg == DWARF_STACK_POINTER)
    return frame_stack_pointer(frame);
  uintptr_t place = register_is_callee_saved(reg) ? frame->origins[register_origin(reg)].word : 0;
  evaluation->failed |= place == 0;
  return place != 0 ? *(const uintptr_t *)place : 0;
}

/* False if the operation pushes no constant. */
static bool push_constant(struct evaluation *evaluation, uint8_t operation) {
  struct byte_cursor *at = &evaluation->at;
  switch (operation) {
  case CONSTANT_U1: push(evaluation, cursor_u8(at)); return true;
  case CONSTANT_S1: push(evaluation, (uintptr_t)(intptr_t)(int8_t)cursor_u8(at)); return true;
  case CONSTANT_U2: push(evaluation, cursor_u16(at)); return true;
  case CONSTANT_S2: push(evaluation, (uintptr_t)(intptr_t)(int16_t)cursor_u16(at)); return true;
  case CONSTANT_U4: push(evaluation, cursor_u32(at)); return true;
  case CONSTANT_S4: push(evaluation, (uintptr_t)(intptr_t)(int32_t)cursor_u32(at)); return true;
  case CONSTANT_UNSIGNED: push(evaluation, cursor_unsigned(at)); return true;
  case CONSTANT_SIGNED: push(evaluation, (uintptr_t)cursor_signed(at)); return true;
  default: return false;
  }
}

static void compute(struct evaluation *evaluation, uint8_t operation) {
  uintptr_t top = pop(evaluation);
  switch (operation) {
  case DEREFERENCE: push(evaluation, read_word(evaluation, top)); return;
  case AND: push(evaluation, pop(evaluation) & top); return;
  case MINUS: push(evaluation, pop(evaluation) - top); return;
  case PLUS: push(evaluation, pop(evaluation) + top); return;
  case PLUS_UNSIGNED: push(evaluation, top + cursor_unsigned(&evaluation->at)); return;
  default: evaluation->failed = true;
  }
}

static void evaluate_one(struct evaluation *evaluation) {
  uint8_t operation = cursor_u8(&evaluation->at);
  if (operation >= LITERAL && operation < LITERAL + RANGE)
    push(evaluation, (uintptr_t)operation - LITERAL);
  else if (operation >= REGISTER && operation < REGISTER + RANGE)
    push(evaluation, read_register(evaluation, (unsigned)operation - REGISTER) +
                         (uintptr_t)cursor_signed(&evaluation->at));
  else if (!push_constant(evaluation, operation))
    compute(evaluation, operation);
}

bool spgc_frame_expression(const uint8_t *expression,
                           const struct frame_expression_context *context, uintptr_t initial,
                           uintptr_t *value) {
  enum { MOST_LENGTH = 10 };
  struct byte_cursor at = {expression, expression + MOST_LENGTH, false};
  uint64_t length = cursor_unsigned(&at);
  struct evaluation evaluation = {.context = context, .at = {at.at, at.at + length, at.failed}};
  push(&evaluation, initial);
  while (!evaluation.failed && !evaluation.at.failed && evaluation.at.at != evaluation.at.end)
    evaluate_one(&evaluation);
  *value = pop(&evaluation);
  return !evaluation.failed && !evaluation.at.failed;
}
