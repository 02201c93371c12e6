#include "observe/profile/protobuf.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_CAPACITY = 256, MOST_VARINT = 10, WIRE_VARINT = 0, WIRE_BYTES = 2 };

static unsigned char *reserve(struct spgc_protobuf *message, size_t bytes) {
  size_t needed = message->length + bytes, capacity = message->capacity;
  if (message->failed)
    return NULL;
  if (capacity == 0)
    capacity = LEAST_CAPACITY;
  while (capacity < needed)
    capacity *= 2;
  if (capacity != message->capacity) {
    unsigned char *grown = realloc(message->bytes, capacity);
    message->failed = grown == NULL;
    if (grown == NULL)
      return NULL;
    message->bytes = grown;
    message->capacity = capacity;
  }
  return message->bytes + message->length;
}

static size_t put_varint(unsigned char *to, uint64_t value) {
  size_t length = 0;
  for (; value > 0x7f; value >>= 7)
    to[length++] = (unsigned char)(value | 0x80);
  to[length++] = (unsigned char)value;
  return length;
}

static size_t varint_length(uint64_t value) {
  unsigned char bytes[MOST_VARINT];
  return put_varint(bytes, value);
}

static void varint(struct spgc_protobuf *message, uint64_t value) {
  unsigned char *to = reserve(message, MOST_VARINT);
  if (to != NULL)
    message->length += put_varint(to, value);
}

static void key(struct spgc_protobuf *message, unsigned field, unsigned wire) {
  varint(message, (uint64_t)field << 3 | wire);
}

void spgc_protobuf_number(struct spgc_protobuf *message, unsigned field, uint64_t value) {
  key(message, field, WIRE_VARINT);
  varint(message, value);
}

void spgc_protobuf_bytes(struct spgc_protobuf *message, unsigned field, const void *bytes,
                         size_t length) {
  key(message, field, WIRE_BYTES);
  varint(message, length);
  unsigned char *to = reserve(message, length);
  if (to == NULL || length == 0)
    return;
  memcpy(to, bytes, length);
  message->length += length;
}

void spgc_protobuf_numbers(struct spgc_protobuf *message, unsigned field, const uint64_t *values,
                           size_t count) {
  size_t length = 0;
  for (size_t i = 0; i < count; i++)
    length += varint_length(values[i]);
  key(message, field, WIRE_BYTES);
  varint(message, length);
  for (size_t i = 0; i < count; i++)
    varint(message, values[i]);
}

void spgc_protobuf_part(struct spgc_protobuf *message, unsigned field, struct spgc_protobuf *part) {
  message->failed = message->failed || part->failed;
  spgc_protobuf_bytes(message, field, part->bytes, part->length);
  part->length = 0;
}

void spgc_protobuf_free(struct spgc_protobuf *message) {
  free(message->bytes);
  *message = (struct spgc_protobuf){0};
}
