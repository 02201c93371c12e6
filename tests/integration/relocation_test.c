#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/jit/jit_relocation.h"
#include "tests/support/suite.h"

enum { PLACE = 0x10000000 };

struct trial {
  uint32_t type;
  uint64_t before;  /* the bytes there */
  int64_t distance; /* of the symbol from the place */
  size_t room;
  uint64_t after;
  const char *problem;
};

static const struct trial aarch64[] = {
    {R_AARCH64_ABS64, 0, 0x1234, 8, PLACE + 0x1234, NULL},
    {R_AARCH64_ABS64, 0, 0x1234, 7, 0, spgc_jit_cut_off},
    {R_AARCH64_ABS32, 0, 0x1234, 4, PLACE + 0x1234, NULL},
    {R_AARCH64_ABS32, 0, INT64_C(0x100000000), 4, 0, spgc_jit_too_far},
    {R_AARCH64_ABS32, 0, -INT64_C(0x100000000), 4, 0, spgc_jit_too_far},
    {R_AARCH64_PREL32, 0, -4, 4, 0xFFFFFFFC, NULL},
    {R_AARCH64_PREL32, 0, INT64_C(0x100000000), 4, 0, spgc_jit_too_far},
    {R_AARCH64_PREL32, 0, -INT64_C(0x80000001), 4, 0, spgc_jit_too_far},
    {R_AARCH64_CALL26, 0x94000000, 0x100, 4, 0x94000040, NULL},
    {R_AARCH64_CALL26, 0x94000000, -4, 4, 0x97FFFFFF, NULL},
    {R_AARCH64_CALL26, 0x94000000, (128 << 20) - 4, 4, 0x95FFFFFF, NULL},
    {R_AARCH64_CALL26, 0x94000000, 128 << 20, 4, 0, spgc_jit_too_far},
    {R_AARCH64_CALL26, 0x94000000, -(128 << 20), 4, 0x96000000, NULL},
    {R_AARCH64_CALL26, 0x94000000, -(128 << 20) - 4, 4, 0, spgc_jit_too_far},
    {R_AARCH64_CALL26, 0x94000000, 2, 4, 0, spgc_jit_misaligned},
    {R_AARCH64_CALL26, 0x94000000, 4, 3, 0, spgc_jit_cut_off},
    {R_AARCH64_CONDBR19, 0x54000000, (1 << 20) - 4, 4, 0x547FFFE0 | 0, NULL},
    {R_AARCH64_CONDBR19, 0x54000000, 1 << 20, 4, 0, spgc_jit_too_far},
    {R_AARCH64_TSTBR14, 0x36000000, (32 << 10) - 4, 4, 0x3603FFE0, NULL},
    {R_AARCH64_TSTBR14, 0x36000000, 32 << 10, 4, 0, spgc_jit_too_far},
    {R_AARCH64_ADR_PREL_LO21, 0x10000000, 5, 4, 0x30000020, NULL},
    {R_AARCH64_ADR_PREL_LO21, 0x10000000, 1 << 20, 4, 0, spgc_jit_too_far},
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x3000, 4, 0xF0000000, NULL},
    {R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, INT64_C(1) << 32, 4, 0, spgc_jit_too_far},
    {R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0xABC, 4, 0x912AF000, NULL},
    {R_AARCH64_LDST64_ABS_LO12_NC, 0xF9400000, 0xAB8, 4, 0xF9455C00, NULL},
    {R_AARCH64_LDST64_ABS_LO12_NC, 0xF9400000, 0xABC, 4, 0, spgc_jit_misaligned},
    {R_AARCH64_LDST128_ABS_LO12_NC, 0x3DC00000, 0x8, 4, 0, spgc_jit_misaligned},
    {R_AARCH64_LDST8_ABS_LO12_NC, 0x39400000, 0xABD, 4, 0x396AF400, NULL},
    {R_AARCH64_MOVW_UABS_G0_NC, 0xD2800000, 0x1234, 4, 0xD2824680, NULL},
    {R_AARCH64_MOVW_UABS_G1_NC, 0xF2A00000, 0x1234, 4, 0xF2A20000, NULL},
};

static const struct trial x86_64[] = {
    {R_X86_64_64, 0, 0x1234, 8, PLACE + 0x1234, NULL},
    {R_X86_64_64, 0, 0x1234, 7, 0, spgc_jit_cut_off},
    {R_X86_64_32, 0, 0x1234, 4, PLACE + 0x1234, NULL},
    {R_X86_64_32, 0, INT64_C(0x100000000), 4, 0, spgc_jit_too_far},
    {R_X86_64_32, 0, -PLACE - 1, 4, 0, spgc_jit_too_far},
    {R_X86_64_32S, 0, -PLACE - 1, 4, 0xFFFFFFFF, NULL},
    {R_X86_64_32S, 0, INT64_C(0x80000000), 4, 0, spgc_jit_too_far},
    {R_X86_64_PC32, 0, INT32_MAX, 4, INT32_MAX, NULL},
    {R_X86_64_PC32, 0, INT64_C(0x80000000), 4, 0, spgc_jit_too_far},
    {R_X86_64_PC32, 0, INT32_MIN, 4, 0x80000000, NULL},
    {R_X86_64_PC32, 0, INT64_C(-0x80000001), 4, 0, spgc_jit_too_far},
    {R_X86_64_PC32, 0, 4, 3, 0, spgc_jit_cut_off},
    {R_X86_64_PC64, 0, -8, 8, UINT64_MAX - 7, NULL},
};

static void try(const struct jit_relocator *relocator, const struct trial *trial, int number) {
  uint64_t bytes = trial->before;
  const struct jit_fixup fixup = {.type = trial->type,
                                  .at = (uint8_t *)&bytes,
                                  .room = trial->room,
                                  .place = PLACE,
                                  .symbol = PLACE + (uintptr_t)trial->distance};
  ck_assert_int_ne(relocator->need(&fixup, true), JIT_UNSUPPORTED);
  const char *problem = relocator->apply(&fixup);
  ck_assert_msg(problem == trial->problem, "trial %d: %s", number,
                problem != NULL ? problem : "it fits");
  if (problem == NULL)
    ck_assert_msg(bytes == trial->after, "trial %d: %#llx, not %#llx", number,
                  (unsigned long long)bytes, (unsigned long long)trial->after);
}

START_TEST(values_are_written_if_they_fit) {
  for (size_t i = 0; i < sizeof aarch64 / sizeof *aarch64; i++)
    try(&spgc_jit_relocator_aarch64, &aarch64[i], (int)i);
  for (size_t i = 0; i < sizeof x86_64 / sizeof *x86_64; i++)
    try(&spgc_jit_relocator_x86_64, &x86_64[i], (int)i);
}
END_TEST

/* Thread-local variables, and tables of other code models. */
START_TEST(other_relocations_are_unsupported) {
  static const uint32_t arm[] = {R_AARCH64_TLSLE_ADD_TPREL_HI12, R_AARCH64_TLSDESC_CALL,
                                 R_AARCH64_PREL16, R_AARCH64_COPY, 1 << 20};
  static const uint32_t intel[] = {R_X86_64_TPOFF32,  R_X86_64_TLSGD,    R_X86_64_16,
                                   R_X86_64_GOTOFF64, R_X86_64_PLTOFF64, 1 << 20};
  uint64_t bytes = 0;
  struct jit_fixup fixup = {.at = (uint8_t *)&bytes, .room = sizeof bytes};
  for (size_t i = 0; i < sizeof arm / sizeof *arm; i++) {
    fixup.type = arm[i];
    ck_assert_int_eq(spgc_jit_relocator_aarch64.need(&fixup, true), JIT_UNSUPPORTED);
  }
  for (size_t i = 0; i < sizeof intel / sizeof *intel; i++) {
    fixup.type = intel[i];
    ck_assert_int_eq(spgc_jit_relocator_x86_64.need(&fixup, true), JIT_UNSUPPORTED);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-relocation");
  TCase *relocations = tcase_create("relocations");
  tcase_add_test(relocations, values_are_written_if_they_fit);
  tcase_add_test(relocations, other_relocations_are_unsupported);
  suite_add_tcase(suite, relocations);
  return suite_run(suite);
}
