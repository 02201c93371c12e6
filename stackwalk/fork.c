#include "stackwalk/fork.h"

#include "stackwalk/frame_table.h"
#include "stackwalk/walkers.h"
#include "stackwalk/watermark.h"

void spgc_stackwalk_fork_hold(void) {
  spgc_frame_table_lock();
  spgc_walkers_fork_hold();
  spgc_watermarks_lock();
}

void spgc_stackwalk_fork_release(void) {
  spgc_watermarks_unlock();
  spgc_walkers_fork_release();
  spgc_frame_table_unlock();
}

void spgc_stackwalk_fork_release_in_child(void) {
  spgc_watermarks_unlock();
  spgc_walkers_fork_release_in_child();
  spgc_frame_table_unlock();
}
