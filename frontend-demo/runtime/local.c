#include "frontend-demo/runtime/local.h"

#include "frontend-demo/runtime/string.h"

static struct spgc_ref value_of(struct spgc_ref held) {
  if (!lox_is_kind(held, LOX_OBJECT_CELL))
    return held;
  const char *cell = spgc_ref_memory(held);
  return *(const struct spgc_ref *)(cell + LOX_CELL_VALUE);
}

/* The length without a character whose bytes are partly beyond `length`: in UTF-8 continuation
 * bytes begin with 10. */
static size_t whole_characters(const char *bytes, size_t length) {
  while (length > 0 && ((unsigned char)bytes[length] & 0xc0) == 0x80)
    length--;
  return length;
}

static bool is_control(unsigned char byte) {
  return byte < ' ' || byte == 0x7f;
}

static void write_in_one_line(struct lox_writer *writer, const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) {
    size_t start = i;
    while (i < length && !is_control((unsigned char)bytes[i]))
      i++;
    lox_write_bytes(writer, bytes + start, i - start);
    if (i < length && bytes[i] == '\n')
      lox_write_text(writer, "\\n");
    else if (i < length)
      lox_write_format(writer, "\\x%02x", (unsigned char)bytes[i]);
  }
}

void lox_local_write(struct lox_writer *writer, const char *name, struct spgc_ref held) {
  static struct lox_writer text = {.in_memory = true, .limit = LOX_LOCAL_VALUE_MAX + 1};
  struct spgc_ref value = value_of(held);
  if (lox_is_nothing(value))
    return;
  text.length = 0;
  text.out_of_memory = false;
  lox_write_value(&text, value);
  bool is_cut = text.out_of_memory || text.length > LOX_LOCAL_VALUE_MAX;
  size_t shown = text.length > LOX_LOCAL_VALUE_MAX
                     ? whole_characters(text.bytes, LOX_LOCAL_VALUE_MAX)
                     : text.length;
  const char *quote = lox_is_string(value) ? "\"" : "";
  lox_write_format(writer, "\n    %s = %s", name, quote);
  write_in_one_line(writer, text.bytes, shown);
  lox_write_format(writer, "%s%s", quote, is_cut ? "..." : "");
}
