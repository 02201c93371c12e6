/* Maps that are missing when a walk comes to the code: a file is loaded, and some code of it runs
 * before the constructors that register its maps, as in a constructor that runs earlier, or in a
 * library that calls back the program that it is linked with.
 *
 * The walker does not know where a file's maps are. Whoever registers them sets a function that
 * finds and registers all maps of a file.
 */
#ifndef SPGC_STACKWALK_MISSING_MAPS_H
#define SPGC_STACKWALK_MISSING_MAPS_H

#include <stdbool.h>

#include "stackwalk/address.h"
#include "stackwalk/loaded_code.h"

/* Registers the maps of the loaded file with this address in it, unless they are registered. It is
 * called in the middle of a walk, in a pause, and takes no lock of the loader. Registration may
 * wait for walkers, so it is done by spgc_walkers_call_outside. */
typedef void spgc_register_file(uintptr_t address);

/* Sets the only function. */
void spgc_missing_maps_set(spgc_register_file *registers);

/* The files that a walk has asked for last. They stay loaded, because frames of theirs are on the
 * walked stack. */
struct asked_files {
  struct loaded_object files[2];
  unsigned oldest;
};

/* Asks for the maps of the file that the return address is in, unless the walk has done so. Returns
 * whether it asked. */
bool spgc_missing_maps_ask(struct asked_files *asked, struct return_address address);

#endif
