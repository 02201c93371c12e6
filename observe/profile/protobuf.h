/* Protocol buffers: the wire format, written into memory. A profile has seven kinds of messages of
 * numbers and strings, so that a library with a code generator would bring more than it saves. */
#ifndef SPGC_OBSERVE_PROFILE_PROTOBUF_H
#define SPGC_OBSERVE_PROFILE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message that grows. After a failure nothing more is written. */
struct spgc_protobuf {
  unsigned char *bytes;
  size_t length, capacity;
  bool failed; /* the process was out of memory */
};

/* A number in a field; 0 is written, too. */
void spgc_protobuf_number(struct spgc_protobuf *message, unsigned field, uint64_t value);

/* Bytes in a field: a string, or a message. */
void spgc_protobuf_bytes(struct spgc_protobuf *message, unsigned field, const void *bytes,
                         size_t length);

/* A packed list of numbers. */
void spgc_protobuf_numbers(struct spgc_protobuf *message, unsigned field, const uint64_t *values,
                           size_t count);

/* A message in a field. The part is empty then, and keeps its memory. */
void spgc_protobuf_part(struct spgc_protobuf *message, unsigned field, struct spgc_protobuf *part);

/* Frees the message's memory. */
void spgc_protobuf_free(struct spgc_protobuf *message);

#endif
