#include "stackwalk/call_frame.h"

#include "stackwalk/dynamic_code.h"
#include "stackwalk/frame_expression.h"
#include "stackwalk/loaded_code.h"
#include "stackwalk/machine_frame.h"
#include "support/byte_cursor.h"

/* DW_CFA_*. Operations of the first group have an operand in their low six bits. */
enum {
  ADVANCE = 0x40,
  OFFSET = 0x80,
  RESTORE = 0xc0,
  LOW_SIX_BITS = 0x3f,
  NOP = 0x00,
  ADVANCE_1 = 0x02,
  ADVANCE_2 = 0x03,
  ADVANCE_4 = 0x04,
  OFFSET_EXTENDED = 0x05,
  RESTORE_EXTENDED = 0x06,
  SAME_VALUE = 0x08,
  REMEMBER_STATE = 0x0a,
  RESTORE_STATE = 0x0b,
  DEFINE_CFA = 0x0c,
  DEFINE_CFA_REGISTER = 0x0d,
  DEFINE_CFA_OFFSET = 0x0e,
  DEFINE_CFA_EXPRESSION = 0x0f,
  EXPRESSION = 0x10,
  SIGN_RETURN_ADDRESS = 0x2d, /* AArch64's; elsewhere the code means register windows */
  ARGUMENTS_SIZE = 0x2e,
};

enum { SIGNED_BY_KEY_B = 'B', REMEMBERED = 4 }; /* an augmentation of AArch64 */

/* DW_EH_PE_*: a pointer's format, its base, and whether it is indirect. */
enum {
  POINTER_ABSOLUTE = 0x00,
  POINTER_UDATA2 = 0x02,
  POINTER_UDATA4 = 0x03,
  POINTER_UDATA8 = 0x04,
  POINTER_SDATA2 = 0x0a,
  POINTER_SDATA4 = 0x0b,
  POINTER_SDATA8 = 0x0c,
  POINTER_FORMAT = 0x0f,
  POINTER_PC_RELATIVE = 0x10,
  POINTER_RELATION = 0x70,
  POINTER_INDIRECT = 0x80,
  POINTER_OMITTED = 0xff,
};

/* A CIE. */
struct common {
  uint64_t code_alignment;
  int64_t data_alignment;
  bool has_personality;
  uint8_t personality_encoding, language_data_encoding;
  struct byte_cursor personality; /* the encoded pointer */
  struct byte_cursor instructions;
};

struct description {
  struct common common;
  struct function_address start;
  uint32_t size; /* bytes of code */
  struct byte_cursor augmentation;
  struct byte_cursor instructions;
};

struct state {
  uint64_t reg;
  int64_t offset;
  const uint8_t *expression;
  struct saved_rule return_address;
  struct saved_rule saved[PRESERVED_REGISTERS];
};

struct machine {
  const struct common *common;
  struct state now, initial, remembered[REMEMBERED];
  unsigned remembered_count;
  uintptr_t location; /* `now` is valid from here onwards */
  bool was_signed;
};

static bool take_record(const uint8_t *at, struct byte_cursor *record) {
  struct byte_cursor length_at = {at, at + sizeof(uint32_t), false};
  uint32_t length = cursor_u32(&length_at);
  *record = (struct byte_cursor){length_at.at, length_at.at + length, false};
  return length < UINT32_MAX; /* that would announce a length of eight bytes */
}

static uintptr_t read_encoded(struct byte_cursor *cursor, uint8_t encoding) {
  uint16_t two;
  uint32_t four;
  uint64_t eight;
  switch (encoding & POINTER_FORMAT) {
  case POINTER_UDATA2: return cursor_u16(cursor);
  case POINTER_SDATA2: two = cursor_u16(cursor); return (uintptr_t)(intptr_t)(int16_t)two;
  case POINTER_UDATA4: return cursor_u32(cursor);
  case POINTER_SDATA4: four = cursor_u32(cursor); return (uintptr_t)(intptr_t)(int32_t)four;
  case POINTER_ABSOLUTE:
  case POINTER_UDATA8:
  case POINTER_SDATA8: cursor_take(cursor, &eight, sizeof eight); return eight;
  default: cursor->failed = true; return 0;
  }
}

/* 0 stays 0. Fails unless the pointer is relative to its own place. */
static uintptr_t read_pointer(struct byte_cursor *cursor, uint8_t encoding) {
  uintptr_t place = (uintptr_t)cursor->at, value;
  if (encoding == POINTER_OMITTED)
    return 0;
  value = read_encoded(cursor, encoding);
  uint8_t relation = encoding & POINTER_RELATION;
  cursor->failed |= relation != 0 && relation != POINTER_PC_RELATIVE;
  if (cursor->failed || value == 0)
    return 0;
  if (relation == POINTER_PC_RELATIVE)
    value += place;
  return encoding & POINTER_INDIRECT ? *(const uintptr_t *)value : value;
}

/* Fails for signal frames (S), which libunwind handles. */
static bool read_augmentation(struct byte_cursor *record, const uint8_t *letters,
                              struct common *common) {
  if (*letters != 'z')
    return false;
  uint64_t length = cursor_unsigned(record);
  struct byte_cursor data = *record;
  bool knows_pointers = false;
  for (letters++; *letters != 0; letters++) {
    if (*letters == 'R') {
      knows_pointers = cursor_u8(&data) == (POINTER_PC_RELATIVE | POINTER_SDATA4);
    } else if (*letters == 'L') {
      common->language_data_encoding = cursor_u8(&data);
    } else if (*letters == 'P') {
      common->has_personality = true;
      common->personality_encoding = cursor_u8(&data);
      common->personality = data;
      data.failed |= (common->personality_encoding & POINTER_RELATION) > POINTER_PC_RELATIVE;
      read_encoded(&data, common->personality_encoding);
    } else if (!SIGNS_RETURN_ADDRESSES || *letters != SIGNED_BY_KEY_B) {
      return false;
    }
  }
  cursor_skip(record, length);
  return knows_pointers && !data.failed;
}

/* common := u32 length, u32 0, u8 version, string, uleb code alignment, sleb data alignment, return
 * address register, augmentation, instructions */
static bool read_common(const uint8_t *at, struct common *common) {
  struct byte_cursor record;
  *common = (struct common){.language_data_encoding = POINTER_OMITTED};
  if (!take_record(at, &record) || cursor_u32(&record) != 0)
    return false;
  uint8_t version = cursor_u8(&record);
  const uint8_t *letters = record.at;
  while (cursor_u8(&record) != 0)
    ;
  common->code_alignment = cursor_unsigned(&record);
  common->data_alignment = cursor_signed(&record);
  uint64_t return_address = version == 1 ? cursor_u8(&record) : cursor_unsigned(&record);
  if (record.failed || (version != 1 && version != 3) || return_address != DWARF_RETURN_ADDRESS ||
      !read_augmentation(&record, letters, common))
    return false;
  common->instructions = record;
  return !record.failed;
}

/* NULL for a register that calls do not preserve. */
static struct saved_rule *rule_of(struct state *state, uint64_t reg) {
  if (reg == DWARF_RETURN_ADDRESS)
    return &state->return_address;
  if (register_is_preserved(reg))
    return &state->saved[register_origin((unsigned)reg)];
  return NULL;
}

static bool replace_rule(struct machine *machine, uint64_t reg, struct saved_rule replacement) {
  struct saved_rule *rule = rule_of(&machine->now, reg);
  if (rule != NULL)
    *rule = replacement;
  return reg != DWARF_STACK_POINTER;
}

static bool set_rule(struct machine *machine, uint64_t reg, int64_t offset) {
  return replace_rule(machine, reg, (struct saved_rule){.offset = offset});
}

static bool restore_rule(struct machine *machine, uint64_t reg) {
  const struct saved_rule *initial = rule_of(&machine->initial, reg);
  return replace_rule(machine, reg, initial != NULL ? *initial : (struct saved_rule){0});
}

/* block := uleb length, bytes */
static const uint8_t *take_expression(struct byte_cursor *at) {
  const uint8_t *expression = at->at;
  cursor_skip(at, cursor_unsigned(at));
  return expression;
}

static bool define_address(struct machine *machine, uint64_t reg, int64_t offset,
                           const uint8_t *expression) {
  machine->now.reg = reg;
  machine->now.offset = offset;
  machine->now.expression = expression;
  return true;
}

static bool remember(struct machine *machine) {
  if (machine->remembered_count == REMEMBERED)
    return false;
  machine->remembered[machine->remembered_count++] = machine->now;
  return true;
}

static bool recall(struct machine *machine) {
  if (machine->remembered_count == 0)
    return false;
  machine->now = machine->remembered[--machine->remembered_count];
  return true;
}

static bool advance(struct machine *machine, uint64_t distance) {
  machine->location += distance * machine->common->code_alignment;
  return true;
}

static bool run_extended(struct machine *machine, uint8_t instruction, struct byte_cursor *at) {
  uint64_t reg;
  switch (instruction) {
  case NOP: return true;
  case ADVANCE_1: return advance(machine, cursor_u8(at));
  case ADVANCE_2: return advance(machine, cursor_u16(at));
  case ADVANCE_4: return advance(machine, cursor_u32(at));
  case OFFSET_EXTENDED:
    reg = cursor_unsigned(at);
    return set_rule(machine, reg, (int64_t)cursor_unsigned(at) * machine->common->data_alignment);
  case RESTORE_EXTENDED: return restore_rule(machine, cursor_unsigned(at));
  case SAME_VALUE: return set_rule(machine, cursor_unsigned(at), 0);
  case REMEMBER_STATE: return remember(machine);
  case RESTORE_STATE: return recall(machine);
  case DEFINE_CFA:
    reg = cursor_unsigned(at);
    return define_address(machine, reg, (int64_t)cursor_unsigned(at), NULL);
  case DEFINE_CFA_REGISTER:
    return define_address(machine, cursor_unsigned(at), machine->now.offset, NULL);
  case DEFINE_CFA_OFFSET:
    return define_address(machine, machine->now.reg, (int64_t)cursor_unsigned(at), NULL);
  case DEFINE_CFA_EXPRESSION:
    return define_address(machine, DWARF_STACK_POINTER, 0, take_expression(at));
  case EXPRESSION:
    reg = cursor_unsigned(at);
    return replace_rule(machine, reg, (struct saved_rule){.expression = take_expression(at)});
  case ARGUMENTS_SIZE: cursor_unsigned(at); return true;
  case SIGN_RETURN_ADDRESS: machine->was_signed = true; return SIGNS_RETURN_ADDRESSES;
  default: return false;
  }
}

static bool run_one(struct machine *machine, struct byte_cursor *at) {
  uint8_t instruction = cursor_u8(at), operand = instruction & LOW_SIX_BITS;
  switch (instruction & ~LOW_SIX_BITS) {
  case ADVANCE: return advance(machine, operand);
  case OFFSET:
    return set_rule(machine, operand,
                    (int64_t)cursor_unsigned(at) * machine->common->data_alignment);
  case RESTORE: return restore_rule(machine, operand);
  default: return run_extended(machine, instruction, at);
  }
}

/* Stops before a location beyond `instruction`. */
static bool run(struct machine *machine, struct byte_cursor instructions, uintptr_t instruction) {
  while (instructions.at != instructions.end && machine->location <= instruction)
    if (!run_one(machine, &instructions) || instructions.failed)
      return false;
  return true;
}

static bool rules_of(const struct state *state, struct call_frame *rules) {
  rules->reg = state->reg;
  rules->offset = state->offset;
  rules->expression = state->expression;
  rules->return_address = state->return_address.offset;
  memcpy(rules->saved, state->saved, sizeof rules->saved);
  return return_place_is_possible(rules->return_address) &&
         state->return_address.expression == NULL &&
         (state->reg == DWARF_STACK_POINTER ||
          (state->reg < UINT8_MAX && register_is_callee_saved((unsigned)state->reg)));
}

/* description := u32 length, u32 distance back to its common entry, i32 start, u32 size, uleb
 * length of augmentation data, data, instructions
 *
 * False if the instruction is not in the function. */
static bool read_description(const struct described_function *function, uintptr_t instruction,
                             struct description *description) {
  struct byte_cursor record;
  if (!take_record(function->description, &record))
    return false;
  const uint8_t *distance_at = record.at;
  uint32_t distance = cursor_u32(&record);
  cursor_u32(&record);
  uint32_t size = cursor_u32(&record);
  if (record.failed || distance == 0 || instruction - function->start.word >= size ||
      !read_common(distance_at - distance, &description->common))
    return false;
  uint64_t length = cursor_unsigned(&record);
  description->augmentation = record;
  cursor_skip(&record, length);
  description->start = function->start;
  description->size = size;
  description->instructions = record;
  return !record.failed;
}

/* Code made at run time comes first, because the loader may still list an unmapped object in its
 * memory. */
static bool find_description(struct return_address address, struct description *description) {
  struct unwind_table table;
  struct described_function function;
  uintptr_t instruction = address.word - 1;
  return (spgc_dynamic_code_find(address, &table) &&
          unwind_table_search(&table, address, &function) &&
          read_description(&function, instruction, description)) ||
         (spgc_loaded_code_find(address, &table) &&
          unwind_table_search(&table, address, &function) &&
          read_description(&function, instruction, description));
}

bool spgc_call_frame_find(struct return_address address, struct call_frame *rules) {
  struct description description;
  if (!find_description(address, &description))
    return false;
  struct machine machine = {.common = &description.common, .location = description.start.word};
  if (!run(&machine, description.common.instructions, UINTPTR_MAX))
    return false;
  machine.initial = machine.now;
  rules->start = description.start;
  rules->has_personality = description.common.has_personality;
  bool has_run = run(&machine, description.instructions, address.word - 1);
  rules->is_signed = machine.was_signed;
  return has_run && rules_of(&machine.now, rules);
}

bool spgc_call_frame_function(struct return_address address, struct call_frame_function *function) {
  struct description description;
  if (!find_description(address, &description))
    return false;
  struct common *common = &description.common;
  *function = (struct call_frame_function){.start = description.start};
  if (!common->has_personality)
    return true;
  function->personality = read_pointer(&common->personality, common->personality_encoding);
  function->language_data =
      (const uint8_t *)read_pointer(&description.augmentation, common->language_data_encoding);
  return !common->personality.failed && !description.augmentation.failed;
}

bool spgc_call_frame_extent(struct function_address function, uintptr_t *start, uintptr_t *end) {
  const struct return_address inside = {function.word + 1};
  struct unwind_table table;
  struct described_function found;
  struct description description;
  if (!spgc_loaded_code_find(inside, &table) || !unwind_table_search(&table, inside, &found) ||
      !read_description(&found, function.word, &description))
    return false;
  *start = description.start.word;
  *end = description.start.word + description.size;
  return true;
}

/* 0 if it cannot be computed. */
static uintptr_t canonical_address(const struct call_frame *rules,
                                   const struct frame_expression_context *context) {
  const struct suspended_frame *frame = context->frame;
  uintptr_t value;
  if (rules->expression != NULL)
    return spgc_frame_expression(rules->expression, context, 0, &value) ? value : 0;
  if (rules->reg == DWARF_STACK_POINTER)
    return frame_stack_pointer(frame) + (uintptr_t)rules->offset;
  uintptr_t place = frame->origins[register_origin((unsigned)rules->reg)].word;
  return place != 0 ? *(const uintptr_t *)place + (uintptr_t)rules->offset : 0;
}

/* False if the place is not in the frame. */
static bool find_place(const struct saved_rule *rule,
                       const struct frame_expression_context *context, uintptr_t outer,
                       uintptr_t *place) {
  if (rule->expression == NULL)
    *place = outer + (uintptr_t)rule->offset;
  else if (!spgc_frame_expression(rule->expression, context, outer, place))
    return false;
  return *place % WORD_SIZE == 0 && *place < outer;
}

bool spgc_call_frame_step(const struct call_frame *rules, struct suspended_frame *frame,
                          struct stack_address limit) {
  const struct frame_expression_context context = {frame, limit};
  uintptr_t outer = canonical_address(rules, &context);
  struct suspended_frame caller = *frame;
  if (outer <= frame_stack_pointer(frame) || outer % WORD_SIZE != 0)
    return false;
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++) {
    const struct saved_rule *rule = &rules->saved[i];
    if ((rule->offset != 0 || rule->expression != NULL) &&
        !find_place(rule, &context, outer, &caller.origins[i].word))
      return false;
  }
  caller.origins[ORIGIN_STACK_POINTER].word = outer;
  frame_set_return_place(&caller, rules->return_address);
  caller.return_address.word =
      outer <= limit.word ? *(const uintptr_t *)frame_return_place(&caller).word : 0;
  caller.return_address = return_address_of_word(caller.return_address.word);
  *frame = caller;
  return true;
}
