/* Code may run before the constructor that registers its file's maps. Then a walk asks the
 * collector's function to register them. */
#ifndef SPGC_STACKWALK_MISSING_MAPS_H
#define SPGC_STACKWALK_MISSING_MAPS_H

#include <stdbool.h>

#include "stackwalk/address.h"
#include "stackwalk/loaded_code.h"

/* Registers the maps of the loaded file that contains this address, once. Called during a walk, in
 * a pause, through spgc_walkers_call_outside; takes no lock of the loader. */
typedef void spgc_register_file(uintptr_t address);

void spgc_missing_maps_set(spgc_register_file *registers);

/* They stay loaded, because they have frames on the walked stack. */
struct asked_files {
  struct loaded_object files[2];
  unsigned oldest;
};

/* Asks once per walk; returns whether it did. */
bool spgc_missing_maps_ask(struct asked_files *asked, struct return_address address);

#endif
