/* The wire format of protocol buffers. A profile's seven kinds of messages do not justify a library
 * with a code generator. */
#ifndef SPGC_OBSERVE_PROFILE_PROTOBUF_H
#define SPGC_OBSERVE_PROFILE_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* After a failure nothing more is written. */
struct spgc_protobuf {
  unsigned char *bytes;
  size_t length, capacity;
  bool failed; /* out of memory */
};

/* Also writes 0. */
void spgc_protobuf_number(struct spgc_protobuf *message, unsigned field, uint64_t value);

/* A string or message. */
void spgc_protobuf_bytes(struct spgc_protobuf *message, unsigned field, const void *bytes,
                         size_t length);

void spgc_protobuf_numbers(struct spgc_protobuf *message, unsigned field, const uint64_t *values,
                           size_t count);

/* Empties the part, which keeps its memory. */
void spgc_protobuf_part(struct spgc_protobuf *message, unsigned field, struct spgc_protobuf *part);
void spgc_protobuf_free(struct spgc_protobuf *message);

#endif
