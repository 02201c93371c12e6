#include "stackwalk/call_frame.h"

#include "stackwalk/dynamic_code.h"
#include "support/byte_cursor.h"

/* DW_CFA_*: those of the first group have an operand in their low six bits. */
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
  ARGUMENTS_SIZE = 0x2e,
};

enum { DWARF_RETURN_ADDRESS = 16, REMEMBERED = 4 };
enum { POINTER_SDATA4 = 0x1b, POINTER_INDIRECT = 0x80, POINTER_FORMAT = 0x0f };

/* The common information entry (CIE) of a description. */
struct common {
  uint64_t code_alignment;
  int64_t data_alignment;
  bool has_personality;
  struct byte_cursor instructions;
};

struct state {
  uint64_t reg;
  int64_t offset;
  int64_t return_address;
  int64_t saved[CALLEE_SAVED_REGISTERS];
};

struct machine {
  const struct common *common;
  struct state now, initial, remembered[REMEMBERED];
  unsigned remembered_count;
  uintptr_t location; /* from which on `now` holds */
};

static bool take_record(const uint8_t *at, struct byte_cursor *record) {
  struct byte_cursor length_at = {at, at + sizeof(uint32_t), false};
  uint32_t length = cursor_u32(&length_at);
  *record = (struct byte_cursor){length_at.at, length_at.at + length, false};
  return length < UINT32_MAX; /* which announces a length of eight bytes */
}

/* Size in bytes of a pointer encoded so; 0: not known. */
static unsigned pointer_size(uint8_t encoding) {
  switch (encoding & POINTER_FORMAT) {
  case 0x00:
  case 0x04:
  case 0x0c: return 8;
  case 0x02:
  case 0x0a: return 2;
  case 0x03:
  case 0x0b: return 4;
  default: return 0;
  }
}

/* What the letters of the augmentation string announce. Signal frames (S) are left to libunwind. */
static bool read_augmentation(struct byte_cursor *record, const uint8_t *letters, struct common *common) {
  if (*letters != 'z')
    return false;
  uint64_t length = cursor_unsigned(record);
  struct byte_cursor data = *record;
  bool knows_pointers = false;
  for (letters++; *letters != 0; letters++) {
    if (*letters == 'R') {
      knows_pointers = cursor_u8(&data) == POINTER_SDATA4;
    } else if (*letters == 'L') {
      cursor_u8(&data);
    } else if (*letters == 'P') {
      unsigned size = pointer_size(cursor_u8(&data));
      common->has_personality = true;
      data.failed |= size == 0;
      cursor_skip(&data, size);
    } else {
      return false;
    }
  }
  cursor_skip(record, length);
  return knows_pointers && !data.failed;
}

/* common := u32 length, u32 0, u8 version, string, uleb code alignment, sleb data alignment, return address register,
 *           augmentation, instructions */
static bool read_common(const uint8_t *at, struct common *common) {
  struct byte_cursor record;
  *common = (struct common){0};
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

/* The rule of a register; NULL for one that calls do not preserve. */
static int64_t *rule_of(struct state *state, uint64_t reg) {
  if (reg == DWARF_RETURN_ADDRESS)
    return &state->return_address;
  if (reg == DWARF_RBX || reg == DWARF_RBP || (reg >= DWARF_R12 && reg <= DWARF_R15))
    return &state->saved[register_origin((unsigned)reg)];
  return NULL;
}

static bool set_rule(struct machine *machine, uint64_t reg, int64_t offset) {
  int64_t *rule = rule_of(&machine->now, reg);
  if (rule != NULL)
    *rule = offset;
  return reg != DWARF_RSP;
}

static bool restore_rule(struct machine *machine, uint64_t reg) {
  const int64_t *initial = rule_of(&machine->initial, reg);
  return set_rule(machine, reg, initial != NULL ? *initial : 0);
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
    machine->now.reg = cursor_unsigned(at);
    machine->now.offset = (int64_t)cursor_unsigned(at);
    return true;
  case DEFINE_CFA_REGISTER: machine->now.reg = cursor_unsigned(at); return true;
  case DEFINE_CFA_OFFSET: machine->now.offset = (int64_t)cursor_unsigned(at); return true;
  case ARGUMENTS_SIZE: cursor_unsigned(at); return true;
  default: return false;
  }
}

static bool run_one(struct machine *machine, struct byte_cursor *at) {
  uint8_t instruction = cursor_u8(at), operand = instruction & LOW_SIX_BITS;
  switch (instruction & ~LOW_SIX_BITS) {
  case ADVANCE: return advance(machine, operand);
  case OFFSET: return set_rule(machine, operand, (int64_t)cursor_unsigned(at) * machine->common->data_alignment);
  case RESTORE: return restore_rule(machine, operand);
  default: return run_extended(machine, instruction, at);
  }
}

/* Until the rules of a location beyond `instruction` would follow. */
static bool run(struct machine *machine, struct byte_cursor instructions, uintptr_t instruction) {
  while (instructions.at != instructions.end) {
    struct state before = machine->now;
    if (!run_one(machine, &instructions) || instructions.failed)
      return false;
    if (machine->location > instruction) {
      machine->now = before;
      return true;
    }
  }
  return true;
}

static bool rules_of(const struct state *state, struct call_frame *rules) {
  rules->reg = state->reg;
  rules->offset = state->offset;
  memcpy(rules->saved, state->saved, sizeof rules->saved);
  struct state any = *state;
  return state->return_address == -WORD_SIZE &&
         (state->reg == DWARF_RSP || (state->reg != DWARF_RETURN_ADDRESS && rule_of(&any, state->reg) != NULL));
}

/* description := u32 length, u32 distance back to its common entry, i32 start, u32 size, uleb length of augmentation
 *                data, data, instructions */
static bool read_description(const struct dynamic_function *function, uintptr_t instruction, struct call_frame *rules) {
  struct byte_cursor record;
  struct common common;
  if (!take_record(function->description, &record))
    return false;
  const uint8_t *distance_at = record.at;
  uint32_t distance = cursor_u32(&record);
  if (distance == 0 || !read_common(distance_at - distance, &common))
    return false;
  cursor_u32(&record);
  uint32_t size = cursor_u32(&record);
  cursor_skip(&record, cursor_unsigned(&record));
  if (record.failed || instruction - function->start.word >= size)
    return false;
  struct machine machine = {.common = &common, .location = function->start.word};
  if (!run(&machine, common.instructions, UINTPTR_MAX))
    return false;
  machine.initial = machine.now;
  rules->start = function->start;
  rules->has_personality = common.has_personality;
  return run(&machine, record, instruction) && rules_of(&machine.now, rules);
}

bool spgc_call_frame_find(struct return_address address, struct call_frame *rules) {
  struct dynamic_function function;
  return spgc_dynamic_code_find(address, &function) && read_description(&function, address.word - 1, rules);
}

/* The canonical frame address; 0 when it cannot be told. */
static uintptr_t canonical_address(const struct call_frame *rules, const struct suspended_frame *frame) {
  if (rules->reg == DWARF_RSP)
    return frame_stack_pointer(frame) + (uintptr_t)rules->offset;
  uintptr_t place = frame->origins[register_origin((unsigned)rules->reg)].word;
  return place != 0 ? *(const uintptr_t *)place + (uintptr_t)rules->offset : 0;
}

bool spgc_call_frame_step(const struct call_frame *rules, struct suspended_frame *frame) {
  uintptr_t outer = canonical_address(rules, frame);
  if (outer <= frame_stack_pointer(frame) || outer % WORD_SIZE != 0)
    return false;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    if (rules->saved[i] % WORD_SIZE != 0 || rules->saved[i] > 0)
      return false;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    if (rules->saved[i] != 0)
      frame->origins[i].word = outer + (uintptr_t)rules->saved[i];
  frame->return_address.word = *(const uintptr_t *)(outer - WORD_SIZE);
  frame->origins[ORIGIN_STACK_POINTER].word = outer;
  return true;
}
