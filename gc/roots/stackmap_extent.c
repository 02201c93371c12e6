#include "gc/roots/modules.h"
#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error) {
  const struct spgc_stackmap_section segment = {
      start, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? SPGC_BIG_ENDIAN : SPGC_LITTLE_ENDIAN};
  struct spgc_stackmap_blob blob;
  uint64_t position = 0;
  enum spgc_result result = spgc_stackmap_read_blob(&segment, &position, &blob, error);
  if (result == SPGC_OK && (blob.version == 0 || blob.position != 0))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "the module's address of its stack map holds none");
  for (uint32_t i = 0; i < blob.record_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_record record;
    result = spgc_stackmap_read_record(&segment, &blob, &position, &record, error);
  }
  *extent = (size_t)position;
  return result;
}
