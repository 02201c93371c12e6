#include "support/printable.h"

#include <stdbool.h>
#include <stddef.h>

static size_t sequence_length(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first < 0xE0)
    return 2;
  if (first >= 0xE0 && first < 0xF0)
    return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

static bool is_printable_ascii(unsigned char byte) {
  return (byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t';
}

/* Control characters, overlong forms and surrogates are not printable. The terminating zero does
 * not continue a sequence. */
static bool is_printable_sequence(const unsigned char *bytes, size_t length) {
  for (size_t i = 1; i < length; i++)
    if ((bytes[i] & 0xC0) != 0x80)
      return false;
  switch (bytes[0]) {
  case 0xC2:
  case 0xE0: return bytes[1] >= 0xA0;
  case 0xED: return bytes[1] < 0xA0;
  case 0xF0: return bytes[1] >= 0x90;
  case 0xF4: return bytes[1] < 0x90;
  default: return true;
  }
}

/* 0: the first byte is not printable. */
static size_t printable_length(const unsigned char *bytes) {
  size_t length = sequence_length(bytes[0]);
  bool printable = length == 1 ? is_printable_ascii(bytes[0])
                               : length != 0 && is_printable_sequence(bytes, length);
  return printable ? length : 0;
}

void spgc_print_printable(FILE *stream, const char *text) {
  const unsigned char *bytes = (const unsigned char *)text;
  while (*bytes != '\0') {
    size_t length = printable_length(bytes);
    if (length == 0)
      fprintf(stream, "\\x%02X", *bytes);
    else
      fwrite(bytes, 1, length, stream);
    bytes += length == 0 ? 1 : length;
  }
}
