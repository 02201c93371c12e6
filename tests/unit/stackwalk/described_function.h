/* An empty function with call frame information of the test. */
#ifndef SPGC_TESTS_DESCRIBED_FUNCTION_H
#define SPGC_TESTS_DESCRIBED_FUNCTION_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "stackwalk/call_frame.h"
#include "tests/support/suite.h"

/* Code in bytes, data in words downwards; and the rules at the function's begin. */
#if defined(__x86_64__)
#define RETURN_COLUMN "\x10"
#define FIRST_RULES "\x0c\7\x08\x90\1" /* RSP + 8, return address right below */
#elif defined(__aarch64__)
#define RETURN_COLUMN "\x1e"
#define FIRST_RULES "\x0c\x1f\0\0\0" /* the stack pointer, return address in x30 */
#endif

enum { PAGE = 4096, FUNCTION = 1024, FUNCTION_BYTES = 256, MOST_INSTRUCTIONS = 128 };

static unsigned char *page;
static unw_dyn_info_t unwind;

static void put(unsigned char **at, const void *bytes, size_t size) {
  memcpy(*at, bytes, size);
  *at += size;
}

static void put_u32(unsigned char **at, uint32_t value) {
  put(at, &value, sizeof value);
}

static void put_common(unsigned char **at, const char *augmentation) {
  unsigned char *length_at = *at;
  *at += 4;
  put_u32(at, 0);
  put(at, "\1", 1);
  put(at, augmentation, strlen(augmentation) + 1);
  put(at, "\1\x78" RETURN_COLUMN, 3);
  if (strcmp(augmentation, "zPLR") == 0)
    put(at, "\7\x03\0\0\0\0\x1b\x1b", 8);
  else
    put(at, "\1\x1b", 2);
  put(at, FIRST_RULES, sizeof FIRST_RULES - 1);
  uint32_t length = (uint32_t)(*at - length_at - 4);
  memcpy(length_at, &length, sizeof length);
}

static void describe(const char *augmentation, const void *instructions, size_t size) {
  unsigned char *at = page;
  ck_assert_uint_le(size, MOST_INSTRUCTIONS);
  put_common(&at, augmentation);
  unsigned char *description = at;
  put_u32(&at, (uint32_t)(4 + 4 + 4 + 1 + size));
  put_u32(&at, (uint32_t)(at - page));
  put_u32(&at, (uint32_t)(page + FUNCTION - at));
  put_u32(&at, FUNCTION_BYTES);
  put(&at, "", 1);
  put(&at, instructions, size);
  at = page + PAGE - 8;
  put_u32(&at, FUNCTION);
  put_u32(&at, (uint32_t)(description - page));
}

static void set_up(void) {
  page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(page, MAP_FAILED);
  unwind = (unw_dyn_info_t){.start_ip = (uintptr_t)page + FUNCTION / 2,
                            .end_ip = (uintptr_t)page + 2 * FUNCTION,
                            .format = UNW_INFO_FORMAT_REMOTE_TABLE};
  unwind.u.rti.segbase = (uintptr_t)page;
  unwind.u.rti.table_len = 1;
  unwind.u.rti.table_data = (uintptr_t)page + PAGE - 8;
  _U_dyn_register(&unwind);
}

static void tear_down(void) {
  _U_dyn_cancel(&unwind);
  munmap(page, PAGE);
}

static bool find(unsigned offset, struct call_frame *rules) {
  return spgc_call_frame_find((struct return_address){(uintptr_t)page + FUNCTION + offset}, rules);
}

static void check_cfa(unsigned offset, unsigned reg, int64_t distance) {
  struct call_frame rules;
  ck_assert_msg(find(offset, &rules), "no rules at %u", offset);
  ck_assert_uint_eq(rules.reg, reg);
  ck_assert_int_eq(rules.offset, distance);
  ck_assert_uint_eq(rules.start.word, (uintptr_t)page + FUNCTION);
}

static void check_saved(unsigned offset, enum origin origin, int64_t distance) {
  struct call_frame rules;
  ck_assert(find(offset, &rules));
  ck_assert_int_eq(rules.saved[origin].offset, distance);
  ck_assert_ptr_null(rules.saved[origin].expression);
}

#endif
