/* The executable and the shared libraries, as the dynamic loader knows them.
 *
 * By glibc's _dl_find_object, which takes no lock: a thread may be stopped in the midst of loading
 * a library, or in a callback of dl_iterate_phdr, and holds the loader's locks then. */
#ifndef SPGC_STACKWALK_LOADED_CODE_H
#define SPGC_STACKWALK_LOADED_CODE_H

#include "stackwalk/unwind_info.h"

/* From the first byte of an object in memory to the last. */
struct loaded_object {
  uintptr_t start, end;
};

/* False when the address is in no loaded object. */
bool spgc_loaded_object_find(uintptr_t address, struct loaded_object *object);

/* The table of the object that the call before the return address is in. False when the address is
 * in none, or it has no table of the one form that linkers write. */
bool spgc_loaded_code_find(struct return_address address, struct unwind_table *table);

#endif
