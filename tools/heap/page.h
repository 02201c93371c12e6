/* The page loads nothing: page_head, the library that draws, page_middle, the figures as JSON,
 * page_tail. embed-page makes these arrays from page.html and Chart.js. */
#ifndef SPGC_TOOLS_HEAP_PAGE_H
#define SPGC_TOOLS_HEAP_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "tools/heap/run.h"

extern const unsigned char page_head[], page_chart[], page_middle[], page_tail[];
extern const size_t page_head_bytes, page_chart_bytes, page_middle_bytes, page_tail_bytes;

/* Those that take the most memory in a snapshot. */
struct page_types {
  const char *file;
  uint64_t objects, bytes;
  size_t count;
  struct page_type {
    const char *name;
    uint64_t objects, self, retained;
  } *rows;
};

/* `types` may be NULL. */
void page_write(FILE *out, const struct run *run, const char *file, const struct page_types *types);

#endif
