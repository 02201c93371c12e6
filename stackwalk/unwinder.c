#include "stackwalk/unwinder.h"

#include <inttypes.h>
#include <string.h>

#include "support/fatal.h"

_Static_assert((int)UNW_X86_64_RBX == (int)DWARF_RBX && (int)UNW_X86_64_RBP == (int)DWARF_RBP &&
                   (int)UNW_X86_64_RSP == (int)DWARF_RSP && (int)UNW_X86_64_R12 == (int)DWARF_R12 &&
                   (int)UNW_X86_64_R15 == (int)DWARF_R15,
               "libunwind numbers registers as DWARF does");

/* In the order of enum origin. On x86-64 libunwind's context is the system's ucontext_t. */
static const int context_registers[CALLEE_SAVED_REGISTERS] = {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15};

static uintptr_t read_register(struct unwinder *unwinder, int reg) {
  unw_word_t value;
  int status = unw_get_reg(&unwinder->cursor, reg, &value);
  spgc_require(status == 0, "libunwind cannot read register %d: %s", reg, unw_strerror(status));
  return (uintptr_t)value;
}

static bool is_in_context(const struct unwinder *unwinder, uintptr_t address) {
  uintptr_t context = (uintptr_t)&unwinder->context;
  return address >= context && address < context + sizeof unwinder->context;
}

/* Nobody reloads a register from the context, so a place in it stands for the one its value was read from. */
static uintptr_t translate(const struct unwinder *unwinder, uintptr_t address) {
  if (!is_in_context(unwinder, address))
    return address;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    if (address == (uintptr_t)&unwinder->context.uc_mcontext.gregs[context_registers[i]])
      return unwinder->places[i].word;
  return 0;
}

static struct stack_address saved_place(struct unwinder *unwinder, enum origin origin, uintptr_t stack_pointer) {
  unw_save_loc_t saved;
  int status = unw_get_save_loc(&unwinder->cursor, (int)origin_register(origin), &saved);
  if (status != 0 || saved.type != UNW_SLT_MEMORY)
    return (struct stack_address){0};
  uintptr_t place = translate(unwinder, (uintptr_t)saved.u.addr);
  bool further_in = place < stack_pointer || !unwinder->places_ascend;
  return (struct stack_address){further_in && place % WORD_SIZE == 0 ? place : 0};
}

static void read_frame(struct unwinder *unwinder, struct suspended_frame *frame) {
  uintptr_t stack_pointer = read_register(unwinder, UNW_X86_64_RSP);
  frame->return_address.word = read_register(unwinder, UNW_X86_64_RIP);
  frame->origins[ORIGIN_STACK_POINTER].word = stack_pointer;
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++)
    frame->origins[i] = saved_place(unwinder, (enum origin)i, stack_pointer);
}

static void start_cursor(struct unwinder *unwinder) {
  int status = unw_init_local(&unwinder->cursor, &unwinder->context);
  spgc_require(status == 0, "libunwind cannot start a walk: %s", unw_strerror(status));
}

void spgc_unwinder_start(struct unwinder *unwinder, const unw_context_t *captured, struct suspended_frame *frame) {
  unwinder->context = *captured;
  memset(unwinder->places, 0, sizeof unwinder->places);
  start_cursor(unwinder);
  read_frame(unwinder, frame);
}

void spgc_unwinder_resume(struct unwinder *unwinder, const struct suspended_frame *frame) {
  greg_t *registers = unwinder->context.uc_mcontext.gregs;
  registers[REG_RIP] = (greg_t)frame->return_address.word;
  registers[REG_RSP] = (greg_t)frame_stack_pointer(frame);
  for (unsigned i = 0; i < CALLEE_SAVED_REGISTERS; i++) {
    uintptr_t place = frame->origins[i].word;
    registers[context_registers[i]] = place != 0 ? *(const greg_t *)place : 0;
    unwinder->places[i].word = place;
  }
  start_cursor(unwinder);
}

bool spgc_unwinder_step(struct unwinder *unwinder, struct suspended_frame *frame) {
  if (unw_step(&unwinder->cursor) <= 0)
    return false;
  read_frame(unwinder, frame);
  return true;
}

struct unwinder_function spgc_unwinder_function(struct unwinder *unwinder) {
  unw_proc_info_t function;
  int status = unw_get_proc_info(&unwinder->cursor, &function);
  uintptr_t address = read_register(unwinder, UNW_X86_64_RIP);
  /* For code it knows nothing of, libunwind answers with this one-byte function. */
  bool unknown = status != 0 || (function.start_ip == address && function.end_ip == address + 1);
  spgc_require(!unknown, "no unwind information for the frame at 0x%" PRIxPTR ": frames above it would be missed",
               address);
  return (struct unwinder_function){{(uintptr_t)function.start_ip}, function.handler != 0};
}
