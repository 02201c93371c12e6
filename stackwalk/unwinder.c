#include "stackwalk/unwinder.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "stackwalk/dynamic_code.h"
#include "stackwalk/machine_frame.h"
#include "support/fatal.h"

_Static_assert((int)DWARF_STACK_POINTER == UNW_TDEP_SP && (int)DWARF_RETURN_ADDRESS == UNW_TDEP_IP,
               "libunwind numbers registers as DWARF does");

/* In libunwind's generic library, but not in its headers. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t address,
                                              unw_dyn_info_t *table, unw_proc_info_t *function,
                                              int need_unwind_info, void *context);

static bool find_table(struct return_address address, struct unwind_table *table) {
  struct described_function function;
  return (spgc_dynamic_code_find(address, table) &&
          unwind_table_search(table, address, &function)) ||
         spgc_loaded_code_find(address, table);
}

/* libunwind looks up instructions, not return addresses. */
static int find_function(unw_addr_space_t space, unw_word_t instruction, unw_proc_info_t *function,
                         int need_unwind_info, void *context) {
  struct unwind_table table;
  if (!find_table((struct return_address){(uintptr_t)instruction + 1}, &table))
    return -UNW_ENOINFO;
  unw_dyn_info_t described = {
      .start_ip = table.code, .end_ip = table.code_end, .format = UNW_INFO_FORMAT_REMOTE_TABLE};
  described.u.rti.segbase = table.base;
  described.u.rti.table_data = (uintptr_t)table.entries;
  described.u.rti.table_len = table.count * sizeof(struct unwind_entry) / sizeof(unw_word_t);
  return UNW_OBJ(dwarf_search_unwind_table)(space, instruction, &described, function,
                                            need_unwind_info, context);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *function, void *context) {
}

/* find_function also finds code made at run time. */
static int get_dynamic_tables(unw_addr_space_t space, unw_word_t *list, void *context) {
  return -UNW_ENOINFO;
}

static bool is_in_recent_object(const struct unwinder *unwinder, uintptr_t address) {
  return address - unwinder->recent.start < unwinder->recent.end - unwinder->recent.start;
}

static bool may_read(struct unwinder *unwinder, uintptr_t address) {
  return address - unwinder->lowest.word < unwinder->limit.word - unwinder->lowest.word ||
         is_in_recent_object(unwinder, address) ||
         spgc_loaded_object_find(address, &unwinder->recent) || spgc_dynamic_code_reaches(address);
}

/* libunwind reads the return address that ends the walk, above the walked stack. It gets a nonzero
 * value, because 0 would be the end of all stacks. */
static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int write,
                         void *context) {
  enum { ANY_ADDRESS = 1 };
  struct unwinder *unwinder = context;
  if (write)
    return -UNW_EREADONLYREG;
  if (may_read(unwinder, (uintptr_t)address)) {
    memcpy(word, (const void *)(uintptr_t)address, sizeof *word);
    return 0;
  }
  *word = ANY_ADDRESS;
  return address >= unwinder->limit.word ? 0 : -UNW_EINVAL;
}

static int access_register(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *word, int write,
                           void *context) {
  const struct unwinder *unwinder = context;
  if (write)
    return -UNW_EREADONLYREG;
  if (reg == DWARF_INTERRUPTED_INSTRUCTION)
    /* libunwind takes an address in the call as the frame's position */
    *word = unwinder->start.return_address.word - !unwinder->starts_at_signal;
  else if (reg == DWARF_RETURN_ADDRESS)
    *word = unwinder->start.return_address.word;
  else if (reg == DWARF_STACK_POINTER)
    *word = frame_stack_pointer(&unwinder->start);
  else if (register_is_preserved((unsigned)reg))
    *word = unwinder->registers[register_origin((unsigned)reg)];
  else
    return -UNW_EBADREG;
  return 0;
}

static int access_float_register(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *value,
                                 int write, void *context) {
  return -UNW_EBADREG;
}

static int resume(unw_addr_space_t space, unw_cursor_t *cursor, void *context) {
  return -UNW_EINVAL;
}

static int get_name(unw_addr_space_t space, unw_word_t address, char *name, size_t size,
                    unw_word_t *offset, void *context) {
  return -UNW_ENOINFO;
}

enum { STREAMS = 3 };

/* Written once, by create_space. */
static unw_addr_space_t own_space;
static pthread_once_t space_once = PTHREAD_ONCE_INIT;

/* Returns the number opened. */
static int hold_streams(int held[STREAMS]) {
  int count = 0, number;
  while (count < STREAMS && (number = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) {
    if (number >= STREAMS) {
      close(number);
      break;
    }
    held[count++] = number;
  }
  return count;
}

/* libunwind calls malloc here, and opens a pipe, which must not take the number of a closed
 * standard stream. */
static void create_space(void) {
  static unw_accessors_t accessors = {.find_proc_info = find_function,
                                      .put_unwind_info = put_unwind_info,
                                      .get_dyn_info_list_addr = get_dynamic_tables,
                                      .access_mem = access_memory,
                                      .access_reg = access_register,
                                      .access_fpreg = access_float_register,
                                      .resume = resume,
                                      .get_proc_name = get_name};
  int held[STREAMS], count = hold_streams(held);
  own_space = unw_create_addr_space(&accessors, 0);
  if (own_space != NULL)
    unw_set_caching_policy(own_space, UNW_CACHE_GLOBAL); /* opens the pipe */
  while (count-- != 0)
    close(held[count]);
}

void spgc_unwinder_prepare(void) {
  pthread_once(&space_once, create_space);
}

static uintptr_t read_register(struct unwinder *unwinder, int reg) {
  unw_word_t value;
  int status = unw_get_reg(&unwinder->cursor, reg, &value);
  spgc_require(status == 0, "libunwind cannot read register %d: %s", reg, unw_strerror(status));
  return (uintptr_t)value;
}

/* At the start it is `first`, which libunwind treats as the register itself. */
static struct stack_address saved_place(struct unwinder *unwinder, int reg,
                                        struct stack_address first, uintptr_t stack_pointer) {
  unw_save_loc_t saved;
  int status = unw_get_save_loc(&unwinder->cursor, reg, &saved);
  uintptr_t place = 0;
  if (status == 0 && saved.type == UNW_SLT_MEMORY)
    place = (uintptr_t)saved.u.addr;
  else if (status == 0 && saved.type == UNW_SLT_REG && saved.u.regnum == reg)
    place = first.word;
  bool further_in = place < stack_pointer || !unwinder->places_ascend;
  return (struct stack_address){further_in && place % WORD_SIZE == 0 ? place : 0};
}

/* An interrupted frame has no return address: the signal's frame has its next instruction. False if
 * libunwind takes a signed address for an instruction, where it knows no code. */
static bool read_frame(struct unwinder *unwinder, bool is_interrupted,
                       struct suspended_frame *frame) {
  uintptr_t stack_pointer = read_register(unwinder, DWARF_STACK_POINTER);
  frame->origins[ORIGIN_STACK_POINTER].word = stack_pointer;
  const struct stack_address none = {0};
  struct stack_address place =
      is_interrupted ? none : saved_place(unwinder, DWARF_RETURN_ADDRESS, none, stack_pointer);
  frame_set_return_place(frame, (int64_t)(place.word - stack_pointer));
  uintptr_t word = read_register(unwinder, is_interrupted ? DWARF_INTERRUPTED_INSTRUCTION
                                                          : DWARF_RETURN_ADDRESS);
  frame->return_address = return_address_of_word(word);
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++)
    frame->origins[i] = saved_place(unwinder, (int)origin_register((enum origin)i),
                                    unwinder->start.origins[i], stack_pointer);
  return frame->return_address.word == word;
}

static bool is_at_signal_return(struct unwinder *unwinder, uintptr_t address) {
  return SIGNAL_RETURN_IS_IN_VDSO && address % sizeof(uint32_t) == 0 &&
         spgc_loaded_object_find(address, &unwinder->recent) &&
         is_signal_return((const uint32_t *)address);
}

void spgc_unwinder_start(struct unwinder *unwinder, const struct suspended_frame *frame) {
  unwinder->start = *frame;
  unwinder->recent = (struct loaded_object){0};
  unwinder->starts_at_signal = is_at_signal_return(unwinder, frame->return_address.word);
  for (unsigned i = 0; i < PRESERVED_REGISTERS; i++) {
    uintptr_t place = frame->origins[i].word;
    unwinder->registers[i] = place != 0 ? *(const uintptr_t *)place : 0;
  }
  spgc_unwinder_prepare();
  spgc_require(own_space != NULL, "libunwind is out of memory");
  /* the code at an address may have changed since the last walk */
  unw_flush_cache(own_space, 0, 0);
  int status = unw_init_remote(&unwinder->cursor, own_space, unwinder);
  spgc_require(status == 0, "libunwind cannot start a walk: %s", unw_strerror(status));
}

bool spgc_unwinder_is_at_signal(struct unwinder *unwinder) {
  return unw_is_signal_frame(&unwinder->cursor) > 0;
}

bool spgc_unwinder_step(struct unwinder *unwinder, struct suspended_frame *frame) {
  bool is_interrupted = spgc_unwinder_is_at_signal(unwinder);
  if (unw_step(&unwinder->cursor) <= 0)
    return false;
  if (!read_frame(unwinder, is_interrupted, frame))
    spgc_unwinder_start(unwinder, frame);
  return true;
}

bool spgc_unwinder_function(struct unwinder *unwinder, struct unwinder_function *found) {
  unw_proc_info_t function;
  int status = unw_get_proc_info(&unwinder->cursor, &function);
  uintptr_t address = read_register(unwinder, DWARF_RETURN_ADDRESS);
  /* libunwind returns this one-byte function for unknown code, maybe before the address, because it
   * starts inside the call. */
  if (status != 0 || (function.end_ip == function.start_ip + 1 && address - function.start_ip <= 1))
    return false;
  *found = (struct unwinder_function){.start = {(uintptr_t)function.start_ip},
                                      .personality = (uintptr_t)function.handler,
                                      .language_data = (const uint8_t *)(uintptr_t)function.lsda};
  return true;
}
