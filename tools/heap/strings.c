#include "tools/heap/strings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "support/printable.h"
#include "tools/heap/memory.h"

enum { LONGEST_PRINTED = 200 };

static bool is_equal(const void *keys, uint32_t number, const void *key) {
  return strcmp(strings_text(keys, number), key) == 0;
}

static void reserve(struct strings *strings, size_t bytes) {
  if (strings->count + 2 > strings->capacity) {
    strings->capacity = memory_growth(strings->count + 2);
    strings->starts = memory_resized(strings->starts, strings->capacity, sizeof *strings->starts);
    strings->first = memory_resized(strings->first, strings->capacity, sizeof *strings->first);
  }
  if (bytes > strings->byte_capacity - strings->size) {
    strings->byte_capacity = memory_growth(strings->size + bytes);
    strings->bytes = memory_resized(strings->bytes, strings->byte_capacity, 1);
  }
}

static void copy_text(struct strings *strings, const char *text, size_t length) {
  char *end = strings->bytes + strings->size;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '\0')
      *end++ = '\xC0', *end++ = '\x80';
    else
      *end++ = text[i];
  }
  *end++ = '\0';
  strings->size = (size_t)(end - strings->bytes);
}

void strings_add(struct strings *strings, const void *bytes, size_t length) {
  reserve(strings, 2 * length + 1);
  uint32_t number = strings->count++;
  strings->starts[number] = strings->size;
  copy_text(strings, bytes, length);
  strings->starts[strings->count] = strings->size;
  const char *text = strings_text(strings, number);
  uint32_t hash = spgc_hash_bytes(text, strings->size - strings->starts[number]);
  uint32_t first = spgc_hash_index_find(&strings->index, hash, is_equal, strings, text);
  strings->first[number] = first == NO_NUMBER ? number : first;
  if (first == NO_NUMBER)
    spgc_hash_index_enter(&strings->index, &memory_of_index, hash, number);
}

uint32_t strings_find(const struct strings *strings, const char *text) {
  return spgc_hash_index_find(&strings->index, spgc_hash_bytes(text, strlen(text) + 1), is_equal,
                              strings, text);
}

uint32_t strings_intern(struct strings *strings, const char *text) {
  uint32_t number = strings_find(strings, text);
  if (number == NO_NUMBER) {
    number = strings->count;
    strings_add(strings, text, strlen(text));
  }
  return number;
}

/* Where to cut without splitting a character. */
static size_t cut(const char *text) {
  size_t length = LONGEST_PRINTED;
  while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
    length--;
  return length;
}

void strings_print(FILE *out, const char *text) {
  char line[LONGEST_PRINTED + 1];
  size_t length = strnlen(text, LONGEST_PRINTED + 1);
  bool is_cut = length > LONGEST_PRINTED;
  length = is_cut ? cut(text) : length;
  memcpy(line, text, length);
  line[length] = '\0';
  for (char *part = line;;) {
    char *end = part + strcspn(part, "\n\t");
    char after = *end;
    *end = '\0';
    spgc_print_printable(out, part);
    if (after == '\0')
      break;
    fprintf(out, "\\x%02X", (unsigned)after);
    part = end + 1;
  }
  if (is_cut)
    fputs("...", out);
}

void strings_free(struct strings *strings) {
  free(strings->bytes);
  free(strings->starts);
  free(strings->first);
  spgc_hash_index_free(&strings->index, &memory_of_index);
}
