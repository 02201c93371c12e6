/* Uses glibc's _dl_find_object, which takes no lock: a stopped thread may hold the loader's. */
#ifndef SPGC_STACKWALK_LOADED_CODE_H
#define SPGC_STACKWALK_LOADED_CODE_H

#include "stackwalk/unwind_info.h"

/* [first byte, end of its last byte). */
struct loaded_object {
  uintptr_t start, end;
};

bool spgc_loaded_object_find(uintptr_t address, struct loaded_object *object);

/* False without a table in the form that linkers write. */
bool spgc_loaded_code_find(struct return_address address, struct unwind_table *table);

#endif
