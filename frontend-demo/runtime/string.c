#include "frontend-demo/runtime/string.h"

#include <string.h>

#include "frontend-demo/runtime/error.h"
#include "frontend-demo/runtime/object.h"
#include "spgc/allocate.h"
#include "spgc/handle.h"

/* Below this, copying costs less than a buffer. */
enum { BUFFERED_LENGTH_MIN = 256 };

_Static_assert(offsetof(struct lox_short_string, bytes) == offsetof(struct lox_flat_string, bytes),
               "a flat string");

#define ONE(byte)                                                                                  \
  {                                                                                                \
    &lox_string_type, 1, {                                                                         \
      (char)(byte)                                                                                 \
    }                                                                                              \
  }
#define FOUR(first) ONE(first), ONE((first) + 1), ONE((first) + 2), ONE((first) + 3)
#define SIXTEEN(first) FOUR(first), FOUR((first) + 4), FOUR((first) + 8), FOUR((first) + 12)
#define SIXTY_FOUR(first)                                                                          \
  SIXTEEN(first), SIXTEEN((first) + 16), SIXTEEN((first) + 32), SIXTEEN((first) + 48)
const struct lox_short_string lox_one_byte_strings[256] = {SIXTY_FOUR(0), SIXTY_FOUR(64),
                                                           SIXTY_FOUR(128), SIXTY_FOUR(192)};

static struct spgc_ref short_string(const char *bytes, uint64_t length) {
  static const struct lox_short_string empty = {.type = &lox_string_type};
  const struct lox_short_string *string =
      length == 0 ? &empty : &lox_one_byte_strings[(unsigned char)bytes[0]];
  return spgc_ref_from_word((uintptr_t)string);
}

static bool is_slice(struct spgc_ref string) {
  return lox_type_of(string) == &lox_slice_type;
}

static struct lox_flat_string *as_flat(struct spgc_ref string) {
  return spgc_ref_memory(string);
}

static struct lox_slice *as_slice(struct spgc_ref string) {
  return spgc_ref_memory(string);
}

static struct lox_string_buffer *as_buffer(struct spgc_ref buffer) {
  return spgc_ref_memory(buffer);
}

static struct spgc_ref flat_now(uint64_t length) {
  return spgc_allocate_array_now(&lox_string_type.gc, length);
}

struct spgc_ref lox_string_make(const char *bytes, uint64_t length) {
  if (length <= 1)
    return short_string(bytes, length);
  struct spgc_ref string = flat_now(length);
  if (lox_is_nothing(string))
    string = lox_allocate_array(&lox_string_type, length);
  memcpy(as_flat(string)->bytes, bytes, length);
  return string;
}

struct spgc_ref lox_string_part(struct spgc_ref string, uint64_t start, uint64_t end) {
  uint64_t length = end - start;
  if (length <= 1)
    return short_string(lox_string_bytes(string) + start, length);
  if (length == lox_string_length(string))
    return string;
  struct spgc_ref made = flat_now(length);
  if (!lox_is_nothing(made)) {
    memcpy(as_flat(made)->bytes, lox_string_bytes(string) + start, length);
    return made;
  }
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle whole = spgc_handle_make(string);
  struct spgc_ref part = lox_allocate_array(&lox_string_type, length);
  memcpy(as_flat(part)->bytes, lox_string_bytes(spgc_handle_get(whole)) + start, length);
  spgc_scope_close(scope);
  return part;
}

static void join(struct spgc_ref string, struct spgc_ref a, struct spgc_ref b) {
  uint64_t a_length = lox_string_length(a);
  memcpy(as_flat(string)->bytes, lox_string_bytes(a), a_length);
  memcpy(as_flat(string)->bytes + a_length, lox_string_bytes(b), lox_string_length(b));
}

static struct spgc_ref concatenate_flat(struct spgc_handle a, struct spgc_handle b) {
  uint64_t length = lox_string_length(spgc_handle_get(a)) + lox_string_length(spgc_handle_get(b));
  struct spgc_ref string = lox_allocate_array(&lox_string_type, length);
  join(string, spgc_handle_get(a), spgc_handle_get(b));
  return string;
}

static bool can_append(struct spgc_ref a, uint64_t b_length) {
  if (!is_slice(a))
    return false;
  const struct lox_string_buffer *buffer = as_buffer(as_slice(a)->buffer);
  return as_slice(a)->length == buffer->used && buffer->capacity - buffer->used >= b_length;
}

static struct spgc_ref make_buffer(struct spgc_handle a, uint64_t result_length) {
  struct spgc_ref buffer = lox_allocate_array(&lox_string_buffer_type, result_length * 2);
  uint64_t length = lox_string_length(spgc_handle_get(a));
  memcpy(as_buffer(buffer)->bytes, lox_string_bytes(spgc_handle_get(a)), length);
  as_buffer(buffer)->used = length;
  return buffer;
}

static struct spgc_ref concatenate_buffered(struct spgc_handle a, struct spgc_handle b) {
  uint64_t b_length = lox_string_length(spgc_handle_get(b));
  uint64_t length = lox_string_length(spgc_handle_get(a)) + b_length;
  bool append = can_append(spgc_handle_get(a), b_length);
  struct spgc_handle buffer =
      spgc_handle_make(append ? as_slice(spgc_handle_get(a))->buffer : make_buffer(a, length));
  struct spgc_ref slice = lox_allocate(&lox_slice_type);
  struct lox_string_buffer *bytes = as_buffer(spgc_handle_get(buffer));
  memcpy(bytes->bytes + bytes->used, lox_string_bytes(spgc_handle_get(b)), b_length);
  bytes->used = length;
  as_slice(slice)->length = length;
  spgc_store(spgc_slot_at(&as_slice(slice)->buffer), spgc_handle_get(buffer));
  return slice;
}

struct spgc_ref lox_string_concatenate(struct spgc_ref a, struct spgc_ref b) {
  uint64_t a_length = lox_string_length(a), b_length = lox_string_length(b);
  if (a_length == 0)
    return b;
  if (b_length == 0)
    return a;
  bool buffered = a_length >= BUFFERED_LENGTH_MIN && a_length >= b_length;
  struct spgc_ref joined = buffered ? lox_nothing() : flat_now(a_length + b_length);
  if (!lox_is_nothing(joined)) {
    join(joined, a, b);
    return joined;
  }
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle left = spgc_handle_make(a), right = spgc_handle_make(b);
  struct spgc_ref string =
      buffered ? concatenate_buffered(left, right) : concatenate_flat(left, right);
  spgc_scope_close(scope);
  return string;
}

struct spgc_ref lox_string_read(FILE *file) {
  static char chunk[64 * 1024];
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle text = spgc_handle_make(short_string(NULL, 0));
  for (size_t count; (count = fread(chunk, 1, sizeof chunk, file)) > 0;) {
    struct spgc_ref part = lox_string_make(chunk, count);
    spgc_handle_set(text, lox_string_concatenate(spgc_handle_get(text), part));
  }
  struct spgc_ref string = ferror(file) ? lox_nil() : spgc_handle_get(text);
  spgc_scope_close(scope);
  return string;
}

bool lox_string_equal(struct spgc_ref a, struct spgc_ref b) {
  uint64_t length = lox_string_length(a);
  return length == lox_string_length(b) &&
         memcmp(lox_string_bytes(a), lox_string_bytes(b), length) == 0;
}

struct spgc_ref lox_add_slow(struct spgc_ref a, struct spgc_ref b) {
  if (!lox_is_string(a) || !lox_is_string(b))
    lox_error("Operands must be two numbers or two strings.");
  return lox_string_concatenate(a, b);
}

uint64_t lox_strings_equal(struct spgc_ref a, struct spgc_ref b) {
  return lox_is_string(a) && lox_is_string(b) && lox_string_equal(a, b);
}
