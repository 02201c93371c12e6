#include "bench/walk/registration.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/walk/clock.h"
#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"

enum { CALL_SITES = 100000, REPETITIONS = 7 };

static const uint64_t copy_distance = UINT64_C(1)
                                      << 24; /* between the addresses of one copy and of the next */

/* Moves the functions of a copy to where no other copy has its own. */
static void move_functions(unsigned char *copy, size_t size, uint64_t distance) {
  const struct spgc_stackmap_section section = {copy, size, SPGC_LITTLE_ENDIAN};
  struct spgc_stackmap_blob blob;
  uint64_t position = 0;
  while (spgc_stackmap_read_blob(&section, &position, &blob, NULL) == SPGC_OK &&
         blob.version != 0) {
    for (uint32_t i = 0; i < blob.function_count; i++) {
      struct spgc_stackmap_function function = spgc_stackmap_function_at(&section, &blob, i);
      uint64_t moved = function.address + distance;
      memcpy(copy + function.position, &moved, sizeof moved);
    }
    for (uint32_t i = 0; i < blob.record_count; i++) {
      struct spgc_stackmap_record record;
      spgc_stackmap_read_record(&section, &blob, &position, &record, NULL);
    }
  }
}

static size_t record_count(const unsigned char *section, size_t size) {
  struct spgc_stackmap *map;
  if (spgc_stackmap_register(section, size, &map, NULL) != SPGC_OK)
    return 0;
  size_t count = spgc_stackmap_record_count(map);
  spgc_stackmap_unregister(map);
  return count;
}

bool measure_registration(const unsigned char *section, size_t size, bool json) {
  size_t records = record_count(section, size);
  if (records == 0)
    return false;
  size_t copies = (CALL_SITES + records - 1) / records;
  unsigned char *module = malloc(copies * size);
  for (size_t i = 0; i < copies; i++) {
    memcpy(module + i * size, section, size);
    move_functions(module + i * size, size, (i + 1) * copy_distance);
  }
  double least = 0, bytes = 0;
  for (int i = 0; i < REPETITIONS; i++) {
    struct spgc_stackmap *map;
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    uint64_t start = processor_ns();
    if (spgc_stackmap_register(module, copies * size, &map, NULL) != SPGC_OK)
      return false;
    double each = (double)(processor_ns() - start) / (double)(copies * records);
    bytes =
        (double)(mallinfo2().uordblks + mallinfo2().hblkhd - before) / (double)(copies * records);
    least = i == 0 || each < least ? each : least;
    spgc_stackmap_unregister(map);
  }
  free(module);
  double section_bytes = (double)size / (double)records;
  printf(json ? "{\"call_sites\": %zu, \"registration_ns\": %.1f, \"bytes\": %.1f, "
                "\"section_bytes\": %.1f}\n"
              : "%zu call sites: %.1f ns each to register, %.1f bytes each; in the section %.1f\n",
         copies * records, least, bytes, section_bytes);
  return true;
}
