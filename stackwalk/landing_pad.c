#include "stackwalk/landing_pad.h"

#include <string.h>

#include "support/fatal.h"

/* DW_EH_PE_* (Linux Standard Base). The compiler chooses one encoding for the call sites. */
enum { ENCODING_ULEB128 = 0x01, ENCODING_UDATA4 = 0x03, ENCODING_OMITTED = 0xff };

/* Action records follow the call sites. Numbers have the call sites' encoding. */
struct table {
  const uint8_t *at, *actions;
  uintptr_t pads; /* the base of landing pads */
  uint8_t encoding;
};

static uint64_t take_unsigned(const uint8_t **at) {
  uint64_t value = 0;
  uint8_t byte;
  unsigned shift = 0;
  do {
    byte = *(*at)++;
    spgc_require(shift < 64, "a number in a call-site table has more than 64 bits");
    value |= (uint64_t)(byte & 0x7f) << shift;
    shift += 7;
  } while (byte & 0x80);
  return value;
}

static int64_t take_signed(const uint8_t **at) {
  const uint8_t *start = *at;
  uint64_t value = take_unsigned(at);
  unsigned bits = 7 * (unsigned)(*at - start);
  bool negative = bits < 64 && ((*at)[-1] & 0x40) != 0;
  return (int64_t)(negative ? value | ~UINT64_C(0) << bits : value);
}

static uint64_t take_encoded(struct table *table) {
  if (table->encoding == ENCODING_ULEB128)
    return take_unsigned(&table->at);
  spgc_require(table->encoding == ENCODING_UDATA4, "a call-site table with pointer encoding %#x",
               table->encoding);
  uint32_t value;
  memcpy(&value, table->at, sizeof value);
  table->at += sizeof value;
  return value;
}

static struct table open_table(const uint8_t *at, uintptr_t function) {
  spgc_require(*at == ENCODING_OMITTED, "landing pads are not relative to their function");
  at++;
  if (*at++ != ENCODING_OMITTED)
    take_unsigned(&at); /* skip the place of the catch clauses' types */
  struct table table = {.encoding = *at++, .pads = function};
  uint64_t length = take_unsigned(&at);
  table.at = at;
  table.actions = at + length;
  return table;
}

/* `action` is 0, or 1 + the offset of a chain's first record: its clause (0: cleanup), and the
 * distance from that word to the next record (0: none). */
static bool has_clause(const struct table *table, uint64_t action) {
  if (action == 0)
    return false;
  const uint8_t *at = table->actions + action - 1;
  for (;;) {
    if (take_signed(&at) != 0)
      return true;
    const uint8_t *distance_at = at;
    int64_t distance = take_signed(&at);
    if (distance == 0)
      return false;
    at = distance_at + distance;
  }
}

struct landing_pad spgc_find_landing_pad(const uint8_t *bytes, uintptr_t function,
                                         uintptr_t instruction) {
  struct table table = open_table(bytes, function);
  while (table.at < table.actions) {
    uintptr_t start = function + take_encoded(&table);
    uintptr_t length = take_encoded(&table);
    uintptr_t pad = take_encoded(&table);
    uint64_t action = take_unsigned(&table.at);
    if (instruction < start)
      break;
    if (instruction - start < length && pad != 0)
      return (struct landing_pad){.address = table.pads + pad,
                                  .catches = has_clause(&table, action)};
  }
  return (struct landing_pad){0};
}
