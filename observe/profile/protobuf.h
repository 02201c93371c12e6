/* The wire format of protocol buffers, written into memory. A profile has only seven kinds of
 * messages, so a library with a code generator would cost more than it saves. */
#ifndef SPGC_OBSERVE_PROFILE_PROTOBUF_H
#define SPGC_OBSERVE_PROFILE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing message. After a failure nothing more is written. */
struct spgc_protobuf {
  unsigned char *bytes;
  size_t length, capacity;
  bool failed; /* the process was out of memory */
};

/* A number in a field; also writes 0. */
void spgc_protobuf_number(struct spgc_protobuf *message, unsigned field, uint64_t value);

/* A string or message in a field. */
void spgc_protobuf_bytes(struct spgc_protobuf *message, unsigned field, const void *bytes,
                         size_t length);

void spgc_protobuf_numbers(struct spgc_protobuf *message, unsigned field, const uint64_t *values,
                           size_t count);

/* A message in a field. The part is emptied, but keeps its memory. */
void spgc_protobuf_part(struct spgc_protobuf *message, unsigned field, struct spgc_protobuf *part);

void spgc_protobuf_free(struct spgc_protobuf *message);

#endif
