/* How much memory the process may use. */
#ifndef SPGC_GC_POLICY_MACHINE_MEMORY_H
#define SPGC_GC_POLICY_MACHINE_MEMORY_H

#include <stddef.h>

/* Bytes of the machine's memory, or fewer where control groups admit fewer. */
size_t spgc_machine_memory(void);

/* The least limit of the control groups (cgroups(7)) that the file `groups`, as /proc/self/cgroup
 * is one, names, and of those they lie in, below the directory where they are mounted; SIZE_MAX
 * when there is none, or nothing can be read.
 */
size_t spgc_group_memory(const char *groups, const char *mounted);

/* Half of the address space, and half of the data, that limits of the process (setrlimit(2)) leave
 * it now: what the heap may reserve of the one, and should be limited to by the other. SIZE_MAX
 * without a limit. */
size_t spgc_half_of_address_space(void);
size_t spgc_half_of_data(void);

#endif
