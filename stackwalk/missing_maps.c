#include "stackwalk/missing_maps.h"

#include <stdatomic.h>
#include <stddef.h>

#include "stackwalk/walkers.h"

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

struct call {
  spgc_register_file *registers;
  uintptr_t address;
};

static void call_outside(void *context) {
  const struct call *call = context;
  call->registers(call->address);
}

bool spgc_missing_maps_ask(struct asked_files *asked, struct return_address address) {
  struct call call = {atomic_load(&register_file), address.word - 1};
  struct loaded_object file;
  if (call.registers == NULL || was_asked(asked, call.address) ||
      !spgc_loaded_object_find(call.address, &file))
    return false;
  note(asked, file);
  spgc_walkers_call_outside(call_outside, &call);
  return true;
}
