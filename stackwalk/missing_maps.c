#include "stackwalk/missing_maps.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(spgc_register_file *) register_file;

void spgc_missing_maps_set(spgc_register_file *registers) {
  atomic_store(&register_file, registers);
}

static bool was_asked(const struct asked_files *asked, uintptr_t address) {
  for (unsigned i = 0; i < sizeof asked->files / sizeof *asked->files; i++)
    if (address - asked->files[i].start < asked->files[i].end - asked->files[i].start)
      return true;
  return false;
}

static void note(struct asked_files *asked, struct loaded_object file) {
  asked->files[asked->oldest] = file;
  asked->oldest = (asked->oldest + 1) % (sizeof asked->files / sizeof *asked->files);
}

bool spgc_missing_maps_ask(struct asked_files *asked, struct return_address address) {
  spgc_register_file *registers = atomic_load_explicit(&register_file, memory_order_relaxed);
  uintptr_t instruction = address.word - 1;
  struct loaded_object file;
  if (registers == NULL || was_asked(asked, instruction) ||
      !spgc_loaded_object_find(instruction, &file))
    return false;
  note(asked, file);
  registers(instruction);
  return true;
}
