#include "codegen/jit/jit_libgcc.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#define WEAK __attribute__((weak))
WEAK void __register_frame(void *section);
WEAK void __deregister_frame(void *section);
WEAK void __register_frame_info_table(void *sections, void *record);
WEAK void *__deregister_frame_info(const void *sections);
struct bases {
  void *text, *data, *function;
};
WEAK const void *_Unwind_Find_FDE(void *address, struct bases *bases);

static struct probe {
  struct common {
    uint32_t length, id;
    uint8_t version;
    char augmentation[3];
    uint8_t code_alignment, data_alignment, return_register, augmentation_length, encoding;
    uint8_t padding[3];
  } common;
  struct description {
    uint32_t length, common;
    int32_t start;
    uint32_t bytes;
    uint8_t augmentation_length, padding[3];
  } description;
  uint32_t end;
  uint32_t function;
} probe = {
    .common = {sizeof(struct common) - sizeof(uint32_t), 0, 1, "zR", 1, 0x78, 16, 1, 0x1b, {0}},
    .description = {
        sizeof(struct description) - sizeof(uint32_t),
        offsetof(struct probe, description) + sizeof(uint32_t),
        (int32_t)(offsetof(struct probe, function) - offsetof(struct probe, description.start)),
        sizeof(uint32_t),
        0,
        {0}}};

static enum jit_libgcc kind;
static pthread_once_t kind_known = PTHREAD_ONCE_INIT;

/* A tree refuses the second array; removing that would end the process. */
static void find_kind(void) {
  static const uint8_t *first[2], *second[2];
  static uintptr_t records[2][JIT_LIBGCC_RECORD_WORDS];
  struct bases bases;
  if (__register_frame == NULL || __deregister_frame == NULL ||
      __register_frame_info_table == NULL || __deregister_frame_info == NULL ||
      _Unwind_Find_FDE == NULL)
    return;
  first[0] = second[0] = (const uint8_t *)&probe;
  spgc_jit_libgcc_add_all(first, records[0]);
  spgc_jit_libgcc_add_all(second, records[1]);
  spgc_jit_libgcc_remove_all(first);
  kind = JIT_LIBGCC_TREE;
  if (_Unwind_Find_FDE(&probe.function, &bases) == NULL)
    return;
  spgc_jit_libgcc_remove_all(second);
  kind = JIT_LIBGCC_LIST;
}

enum jit_libgcc spgc_jit_libgcc_kind(void) {
  pthread_once(&kind_known, find_kind);
  return kind;
}

/* libgcc does not write through the pointers. */
static void *without_const(const void *pointer) {
  return (void *)(uintptr_t)pointer;
}

void spgc_jit_libgcc_add(const uint8_t *frames) {
  __register_frame(without_const(frames));
}

void spgc_jit_libgcc_remove(const uint8_t *frames) {
  __deregister_frame(without_const(frames));
}

/* __register_frame_table would allocate the record, and end the process if it could not. */
void spgc_jit_libgcc_add_all(const uint8_t **sections, uintptr_t *record) {
  __register_frame_info_table((void *)sections, record);
}

void spgc_jit_libgcc_remove_all(const uint8_t **sections) {
  __deregister_frame_info((const void *)sections);
}
