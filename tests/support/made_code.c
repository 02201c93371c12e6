#include "tests/support/made_code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spgc/stackmap_reader.h"
#include "spgc/stackwalk.h"
#include "support/fatal.h"
#include "tests/support/stackmap_builder.h"

#if defined(__x86_64__)
#include "tests/support/x86_64/made_instructions.h"
#elif defined(__aarch64__)
#include "tests/support/aarch64/made_instructions.h"
#endif

enum { PAGE = 4096, FUNCTION_BYTES = 64, DESCRIPTIONS = 2048, TABLE = 3072 };
enum { RETURN_OFFSET = sizeof made_head + sizeof(uint64_t) + MADE_CALL_BYTES };
enum { CODE_BYTES = sizeof made_head + sizeof(uint64_t) + sizeof made_tail };

_Static_assert((int)CODE_BYTES <= (int)FUNCTION_BYTES, "functions do not overlap");
_Static_assert(MADE_FUNCTIONS *FUNCTION_BYTES + MADE_MOST_SHIFT <= DESCRIPTIONS,
               "code ends before what describes it");

struct description {
  uint32_t length, to_common;
  int32_t start;
  uint32_t size;
  unsigned char instructions[sizeof made_unwinding];
};

struct table_entry {
  int32_t start, description;
};

void made_code_reserve(struct made_code *code) {
  void *page =
      mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  spgc_require(page != MAP_FAILED, "no memory for code");
  *code = (struct made_code){.page = page};
}

void made_code_release(struct made_code *code) {
  munmap(code->page, PAGE);
}

static unsigned char *function_at(const struct made_code *code, unsigned shift, unsigned number) {
  return code->page + shift + number * (unsigned)FUNCTION_BYTES;
}

static void write_code(struct made_code *code, unsigned shift, made_function *bottom) {
  for (unsigned i = 0; i < MADE_FUNCTIONS; i++) {
    unsigned char *at = function_at(code, shift, i);
    uint64_t callee =
        i + 1 < MADE_FUNCTIONS ? (uintptr_t)function_at(code, shift, i + 1) : (uintptr_t)bottom;
    memcpy(at, made_head, sizeof made_head);
    memcpy(at + sizeof made_head, &callee, sizeof callee);
    memcpy(at + sizeof made_head + sizeof callee, made_tail, sizeof made_tail);
  }
  __builtin___clear_cache((char *)code->page, (char *)code->page + DESCRIPTIONS);
}

static void write_descriptions(struct made_code *code, unsigned shift) {
  memcpy(code->page + DESCRIPTIONS, made_common, sizeof made_common);
  for (unsigned i = 0; i < MADE_FUNCTIONS; i++) {
    const unsigned char *function = function_at(code, shift, i);
    unsigned char *at =
        code->page + DESCRIPTIONS + sizeof made_common + i * sizeof(struct description);
    struct description description = {
        .length = sizeof description - sizeof description.length,
        .to_common =
            (uint32_t)(at + offsetof(struct description, to_common) - (code->page + DESCRIPTIONS)),
        .start = (int32_t)(function - (at + offsetof(struct description, start))),
        .size = CODE_BYTES,
    };
    memcpy(description.instructions, made_unwinding, sizeof made_unwinding);
    memcpy(at, &description, sizeof description);
    struct table_entry entry = {(int32_t)(function - code->page), (int32_t)(at - code->page)};
    memcpy(code->page + TABLE + i * sizeof entry, &entry, sizeof entry);
  }
}

static void register_unwinding(struct made_code *code) {
  code->unwind = (unw_dyn_info_t){.start_ip = (uintptr_t)code->page,
                                  .end_ip = (uintptr_t)code->page + DESCRIPTIONS,
                                  .format = UNW_INFO_FORMAT_REMOTE_TABLE};
  code->unwind.u.rti.name_ptr = (uintptr_t)"made code";
  code->unwind.u.rti.segbase = (uintptr_t)code->page;
  code->unwind.u.rti.table_len = MADE_FUNCTIONS;
  code->unwind.u.rti.table_data = (uintptr_t)code->page + TABLE;
  _U_dyn_register(&code->unwind);
}

static void register_map(struct made_code *code, unsigned shift) {
  static const struct builder_location object[] = {
      {SPGC_LOCATION_INDIRECT, 8, MADE_SLOT_BASE, MADE_SLOT_OFFSET},
      {SPGC_LOCATION_INDIRECT, 8, MADE_SLOT_BASE, MADE_SLOT_OFFSET},
      {SPGC_LOCATION_REGISTER, 8, MADE_REGISTER, 0},
      {SPGC_LOCATION_REGISTER, 8, MADE_REGISTER, 0}};
  struct stackmap_builder builder = {0};
  struct spgc_error error;
  builder_header(&builder, 3, MADE_FUNCTIONS, 0, MADE_FUNCTIONS);
  for (unsigned i = 0; i < MADE_FUNCTIONS; i++)
    builder_function(&builder, (uintptr_t)function_at(code, shift, i),
                     i % 2 == 0 ? MADE_FRAME_BYTES : UINT64_MAX, 1);
  for (unsigned i = 0; i < MADE_FUNCTIONS; i++)
    builder_statepoint(&builder, i, RETURN_OFFSET, object, sizeof object / sizeof *object);
  enum spgc_result result = spgc_stackmap_register(builder.bytes, builder.size, &code->map, &error);
  spgc_require(result == SPGC_OK, "%s", error.message);
  builder_free(&builder);
}

void made_code_make(struct made_code *code, unsigned shift, made_function *bottom) {
  spgc_require(shift <= MADE_MOST_SHIFT, "shifted too far");
  shift -= shift % MADE_CODE_ALIGNMENT;
  write_code(code, shift, bottom);
  write_descriptions(code, shift);
  register_unwinding(code);
  register_map(code, shift);
  code->first = (made_function *)(uintptr_t)function_at(code, shift, 0);
}

/* Unwind information goes last: walks may need it until the map is gone. */
void made_code_forget(struct made_code *code) {
  spgc_stackmap_unregister(code->map);
  _U_dyn_cancel(&code->unwind);
  unw_flush_cache(unw_local_addr_space, 0, 0);
  spgc_walk_wait();
}

struct return_address made_code_return_address(const struct made_code *code, unsigned function) {
  return (struct return_address){(uintptr_t)code->first + function * (uintptr_t)FUNCTION_BYTES +
                                 RETURN_OFFSET};
}
