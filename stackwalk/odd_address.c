#include "stackwalk/odd_address.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "stackwalk/call_frame.h"
#include "stackwalk/loaded_code.h"

/* When a function's return is probed, the kernel replaces the address by one in its page
 * "[uprobes]". */
static bool is_probe(uintptr_t address) {
  char line[512];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "re");
  while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
    uintptr_t start, end;
    found = strstr(line, "[uprobes]") != NULL &&
            sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) == 2 && address >= start &&
            address < end;
  }
  if (maps != NULL)
    fclose(maps);
  return found;
}

/* A call returns into the middle of a function. */
static bool is_start_of_function(uintptr_t address) {
  struct call_frame_function function;
  return spgc_call_frame_function((struct return_address){address + 1}, &function) &&
         function.start.word == address;
}

static void describe_start(uintptr_t address, struct odd_address *odd) {
  struct dl_find_object found;
  const char *file = program_invocation_name;
  uintptr_t base = 0;
  if (_dl_find_object((void *)address, &found) == 0) {
    base = found.dlfo_link_map->l_addr;
    if (found.dlfo_link_map->l_name[0] != '\0')
      file = found.dlfo_link_map->l_name;
  }
  snprintf(odd->text, sizeof odd->text,
           ": a return address is the start of a function (%.200s+%#" PRIxPTR
           "), so a tracer or profiler has replaced the original one. Run without it "
           "(docs/debugging.md)",
           file, address - base);
}

struct odd_address spgc_odd_address(struct return_address address, struct return_address inner) {
  struct odd_address odd = {""};
  struct loaded_object file;
  if (is_probe(address.word) || is_probe(inner.word))
    snprintf(odd.text, sizeof odd.text,
             ": a probe at a function's return (uretprobe of perf, bcc or bpftrace) has replaced "
             "the return address, and the kernel keeps the original. Probe the function's entry "
             "instead (docs/debugging.md)");
  else if (is_start_of_function(address.word) || is_start_of_function(inner.word))
    describe_start(is_start_of_function(address.word) ? address.word : inner.word, &odd);
  else if (!spgc_loaded_object_find(address.word - 1, &file))
    snprintf(odd.text, sizeof odd.text,
             ": no loaded file has code there. Code made at run time is loaded by spgc_jit_add, or "
             "registers its stack maps and unwind information (docs/debugging.md)");
  return odd;
}
