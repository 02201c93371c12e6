#include "snapshot_file.h"

#include <stdio.h>
#include <unistd.h>

#include "heap_world.h"
#include "snapshot_reader.h"

char snapshot_path[64];

void snapshot_path_of(pid_t process) {
  snprintf(snapshot_path, sizeof snapshot_path, "test-%d.heapsnapshot", process);
}

void snapshot_path_choose(void) {
  snapshot_path_of(getpid());
}

void snapshot_file_check(void) {
  struct read_snapshot snapshot = snapshot_read(snapshot_path);
  snapshot_require_reachable(&snapshot);
  snapshot_free(&snapshot);
  unlink(snapshot_path);
}

void snapshot_outgrow_pipe(void) {
  enum { EDGES = 20000 };
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, EDGES));
  for (unsigned i = 0; i < EDGES; i++)
    world_set(array, 2 + i, spgc_handle_get(array));
}
