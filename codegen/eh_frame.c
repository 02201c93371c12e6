#include "codegen/eh_frame.h"

#include <stdbool.h>
#include <string.h>

#include "support/fatal.h"

/* Pointer encodings (DW_EH_PE_*): low half the format, high half what it is relative to. */
enum { ENCODING_FORMAT = 0x0f, ENCODING_ABSOLUTE = 0x00, ENCODING_SDATA4 = 0x0b, ENCODING_SDATA8 = 0x0c };
enum { ENCODING_RELATIVE_SDATA4 = 0x1b };

/* A place in a record; `failed` is set by a read beyond `end`, and then every read gives 0. */
struct cursor {
  const uint8_t *at, *end;
  bool failed;
};

static bool take(struct cursor *cursor, void *to, size_t length) {
  if (cursor->failed || (size_t)(cursor->end - cursor->at) < length) {
    cursor->failed = true;
    memset(to, 0, length);
    return false;
  }
  memcpy(to, cursor->at, length);
  cursor->at += length;
  return true;
}

static uint8_t take_byte(struct cursor *cursor) {
  uint8_t byte;
  take(cursor, &byte, 1);
  return byte;
}

static uint32_t take_word(struct cursor *cursor) {
  uint32_t word;
  take(cursor, &word, sizeof word);
  return word;
}

/* A LEB128 number whose value does not matter. */
static void skip_number(struct cursor *cursor) {
  while (take_byte(cursor) & 0x80)
    ;
}

static void skip_pointer(struct cursor *cursor, uint8_t encoding) {
  uint8_t format = encoding & ENCODING_FORMAT;
  uint64_t ignored;
  take(cursor, &ignored, format == ENCODING_ABSOLUTE || format == 0x04 || format == ENCODING_SDATA8 ? 8 : 4);
}

/* How the descriptions of a common record (CIE) encode code addresses; its augmentation string says where that is. */
static uint8_t code_encoding(struct cursor cie) {
  take_byte(&cie);
  const uint8_t *augmentation = cie.at;
  while (take_byte(&cie) != 0)
    ;
  skip_number(&cie);
  skip_number(&cie);
  skip_number(&cie);
  if (cie.failed || *augmentation != 'z')
    return ENCODING_ABSOLUTE;
  skip_number(&cie);
  for (const uint8_t *letter = augmentation + 1; *letter != 0; letter++) {
    if (*letter == 'R')
      return take_byte(&cie);
    if (*letter == 'P')
      skip_pointer(&cie, take_byte(&cie));
    else if (*letter == 'L')
      take_byte(&cie);
  }
  return ENCODING_ABSOLUTE;
}

/* The record at `at`, without its length: false at the end of the section. */
static bool open_record(const uint8_t *section, size_t size, size_t at, struct cursor *record) {
  struct cursor rest = {section + at, section + size, false};
  uint32_t length = take_word(&rest);
  if (rest.failed || length == 0 || length > (size_t)(rest.end - rest.at))
    return false;
  *record = (struct cursor){rest.at, rest.at + length, false};
  return true;
}

/* The common record a description belongs to: its pointer counts back from where it stands itself. */
static bool open_common(const uint8_t *section, const uint8_t *pointer_at, uint32_t back, struct cursor *common) {
  size_t offset = (size_t)(pointer_at - section);
  if (back > offset || !open_record(section, offset, offset - back, common))
    return false;
  return take_word(common) == 0 && !common->failed;
}

static enum spgc_result read_description(const uint8_t *section, size_t at, struct cursor record, uintptr_t *function,
                                         struct spgc_error *error) {
  const uint8_t *pointer_at = record.at;
  uint32_t back = take_word(&record);
  struct cursor common;
  if (!open_common(section, pointer_at, back, &common))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, at, "a frame description without a common record");
  uint8_t encoding = code_encoding(common);
  if (encoding != ENCODING_RELATIVE_SDATA4)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, at, "frame descriptions with pointer encoding %#x", encoding);
  const uint8_t *base = record.at;
  int32_t distance = (int32_t)take_word(&record);
  *function = (uintptr_t)base + (uintptr_t)(intptr_t)distance;
  return record.failed ? spgc_error_set(error, SPGC_ERROR_MALFORMED, at, "a frame description is cut off") : SPGC_OK;
}

enum spgc_result eh_frame_read(const uint8_t *section, size_t size,
                               void (*found)(void *context, const uint8_t *description, uintptr_t function),
                               void *context, struct spgc_error *error) {
  struct cursor record;
  for (size_t at = 0; open_record(section, size, at, &record); at = (size_t)(record.end - section)) {
    struct cursor id = record;
    if (take_word(&id) == 0)
      continue;
    uintptr_t function = 0;
    enum spgc_result result = read_description(section, at, record, &function, error);
    if (result != SPGC_OK)
      return result;
    found(context, section + at, function);
  }
  return SPGC_OK;
}
