#include "tests/support/stackmap_flatten.h"

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

static uint32_t function_size(void *context, uint64_t function) {
  unw_proc_info_t info;
  int status = unw_get_proc_info_by_ip(unw_local_addr_space, function, &info, NULL);
  spgc_require(status == 0 && info.start_ip == function, "no unwind information of %p",
               (void *)function);
  return (uint32_t)(info.end_ip - info.start_ip);
}

static uint8_t call_size(void *context, uint64_t return_address) {
  return 5;
}

static void include_function(struct spgc_flat_code *code, uint64_t function) {
  uint64_t end = function + function_size(NULL, function);
  uint64_t code_end = code->start + code->bytes;
  if (code->bytes == 0)
    code->start = code_end = function;
  code->bytes =
      (end > code_end ? end : code_end) - (function < code->start ? function : code->start);
  if (function < code->start)
    code->start = function;
}

struct spgc_flat_header *stackmap_flatten(const void *bytes, size_t size) {
  const struct spgc_stackmap_section section = {bytes, size, SPGC_LITTLE_ENDIAN};
  struct spgc_flat_code code = {.function_size = function_size, .call_size = call_size};
  struct spgc_error error = {0};
  struct spgc_stackmap_blob blob = {0};
  struct spgc_stackmap_record record;
  enum spgc_result result = SPGC_OK;
  for (uint64_t position = 0; result == SPGC_OK;) {
    result = spgc_stackmap_read_blob(&section, &position, &blob, &error);
    if (blob.version == 0)
      break;
    for (uint32_t i = 0; i < blob.function_count; i++)
      include_function(&code, spgc_stackmap_function_at(&section, &blob, i).address);
    for (uint32_t i = 0; i < blob.record_count && result == SPGC_OK; i++)
      result = spgc_stackmap_read_record(&section, &blob, &position, &record, &error);
  }
  struct spgc_flat_header *map = NULL;
  if (result == SPGC_OK)
    result = spgc_flat_stackmap_make(bytes, size, &code, &map, &error);
  spgc_require(result == SPGC_OK, "%s", error.message);
  map->code = (int64_t)(code.start - (uintptr_t)&map->code);
  map->section_bytes = map->bytes;
  return map;
}
