/* The executable and the shared libraries, as the dynamic loader knows them.
 *
 * It asks glibc's _dl_find_object, which takes no lock. That matters because a thread may be
 * stopped while it loads a library or runs a callback of dl_iterate_phdr, and then holds the
 * loader's locks.
 */
#ifndef SPGC_STACKWALK_LOADED_CODE_H
#define SPGC_STACKWALK_LOADED_CODE_H

#include "stackwalk/unwind_info.h"

/* An object in memory: [first byte, end of its last byte). */
struct loaded_object {
  uintptr_t start, end;
};

/* False when the address is in no loaded object. */
bool spgc_loaded_object_find(uintptr_t address, struct loaded_object *object);

/* The table of the object that contains the call before the return address. False when no object
 * does, or when its table does not have the one form that linkers write. */
bool spgc_loaded_code_find(struct return_address address, struct unwind_table *table);

#endif
