#include "tools/heap/print.h"

#include <inttypes.h>

void print_class(const struct snapshot *snapshot, uint32_t class) {
  strings_print(stdout, strings_text(&snapshot->strings, class));
}

void print_node(const struct snapshot *snapshot, uint32_t node) {
  print_class(snapshot, node_class(snapshot, node));
  printf(" @%" PRIu32, snapshot->ids[node]);
}

void print_objects(uint64_t objects, uint64_t bytes) {
  printf("%" PRIu64 " object%s, %" PRIu64 " byte%s", objects, objects == 1 ? "" : "s", bytes,
         bytes == 1 ? "" : "s");
}

void print_unheld(uint64_t objects, uint64_t bytes) {
  print_objects(objects, bytes);
  puts(": held by nothing, or by weak references only");
}
