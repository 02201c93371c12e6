#include "codegen/emit/eh_frame.h"

#include <string.h>

#include "support/byte_cursor.h"
#include "support/fatal.h"

/* DW_EH_PE_*: the low half is the format, the high half the base. */
enum {
  ENCODING_FORMAT = 0x0f,
  ENCODING_ABSOLUTE = 0x00,
  ENCODING_SDATA4 = 0x0b,
  ENCODING_SDATA8 = 0x0c
};
enum { ENCODING_RELATIVE_SDATA4 = 0x1b, VERSION = 1 };

static void skip_pointer(struct byte_cursor *cursor, uint8_t encoding) {
  uint8_t format = encoding & ENCODING_FORMAT;
  uint64_t ignored;
  cursor_take(cursor, &ignored,
              format == ENCODING_ABSOLUTE || format == 0x04 || format == ENCODING_SDATA8 ? 8 : 4);
}

/* The augmentation string gives the encoding's place in a CIE. */
static uint8_t code_encoding(struct byte_cursor cie) {
  uint8_t version = cursor_u8(&cie);
  const uint8_t *augmentation = cie.at;
  while (cursor_u8(&cie) != 0)
    ;
  cursor_unsigned(&cie);
  cursor_unsigned(&cie);
  cursor_unsigned(&cie);
  if (cie.failed || version != VERSION || *augmentation != 'z')
    return ENCODING_ABSOLUTE;
  cursor_unsigned(&cie);
  for (const uint8_t *letter = augmentation + 1; *letter != 0; letter++) {
    if (*letter == 'R')
      return cursor_u8(&cie);
    if (*letter == 'P')
      skip_pointer(&cie, cursor_u8(&cie));
    else if (*letter == 'L')
      cursor_u8(&cie);
    else if (strchr("SBG", *letter) == NULL) /* flags without data */
      return ENCODING_ABSOLUTE;
  }
  return ENCODING_ABSOLUTE;
}

/* Empty at the list's end. False if the record is cut off. */
static bool open_record(const uint8_t *section, size_t size, size_t at,
                        struct byte_cursor *record) {
  struct byte_cursor rest = {section + at, section + size, false};
  uint32_t length = at < size ? cursor_u32(&rest) : 0;
  if (rest.failed || length > (size_t)(rest.end - rest.at))
    return false;
  *record = (struct byte_cursor){rest.at, rest.at + length, false};
  return true;
}

/* A description's pointer to its CIE counts back from its own place. */
static bool open_common(const uint8_t *section, const uint8_t *pointer_at, uint32_t back,
                        struct byte_cursor *common) {
  size_t offset = (size_t)(pointer_at - section);
  if (back > offset || !open_record(section, offset, offset - back, common))
    return false;
  return cursor_u32(common) == 0 && !common->failed;
}

static enum spgc_result cut_off(size_t at, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, at, "a frame description is cut off");
}

static enum spgc_result read_description(const uint8_t *section, size_t at,
                                         struct byte_cursor record,
                                         struct described_function *function,
                                         struct spgc_error *error) {
  const uint8_t *pointer_at = record.at;
  uint32_t back = cursor_u32(&record);
  struct byte_cursor common;
  if (!open_common(section, pointer_at, back, &common))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, at,
                          "a frame description without a common record");
  uint8_t encoding = code_encoding(common);
  if (encoding != ENCODING_RELATIVE_SDATA4)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, at,
                          "frame descriptions with pointer encoding %#x", encoding);
  const uint8_t *base = record.at;
  int32_t distance = (int32_t)cursor_u32(&record);
  *function = (struct described_function){
      section + at, (uintptr_t)base + (uintptr_t)(intptr_t)distance, cursor_u32(&record)};
  return record.failed ? cut_off(at, error) : SPGC_OK;
}

enum spgc_result spgc_eh_frame_read(const uint8_t *section, size_t size,
                                    described_function_visitor *found, void *context,
                                    struct spgc_error *error) {
  struct byte_cursor record;
  for (size_t at = 0;; at = (size_t)(record.end - section)) {
    if (!open_record(section, size, at, &record))
      return cut_off(at, error);
    if (record.at == record.end && size - at > sizeof(uint32_t))
      return cut_off(at, error);
    if (record.at == record.end)
      return SPGC_OK;
    struct byte_cursor id = record;
    if (cursor_u32(&id) == 0 && !id.failed)
      continue;
    struct described_function function;
    enum spgc_result result = read_description(section, at, record, &function, error);
    if (result != SPGC_OK)
      return result;
    found(context, &function);
  }
}
