#include "stackwalk/fork.h"

#include "stackwalk/frame_table.h"
#include "stackwalk/walkers.h"
#include "stackwalk/watermark.h"

void spgc_stackwalk_fork_lock(void) {
  spgc_frame_table_lock();
  spgc_walkers_fork_lock();
  spgc_watermarks_lock();
}

void spgc_stackwalk_fork_unlock(void) {
  spgc_watermarks_unlock();
  spgc_walkers_fork_unlock();
  spgc_frame_table_unlock();
}

void spgc_stackwalk_fork_unlock_in_child(void) {
  spgc_watermarks_unlock();
  spgc_walkers_fork_unlock_in_child();
  spgc_frame_table_unlock();
}
