/* References are C's pointers, and nothing needs to find them. */
#ifndef BENCH_WORKLOADS_MEMORY_PLAIN_H
#define BENCH_WORKLOADS_MEMORY_PLAIN_H

#define REFERENCE
#define OBJECT_HEADER
#define ARRAY_HEADER uint64_t length;
#define DESCRIBE_OBJECT(name, ...) _Static_assert(sizeof(struct name) != 0, "described")
#define DESCRIBE_DATA_ARRAY(name) DESCRIBE_OBJECT(name, )
#define DESCRIBE_REFERENCE_ARRAY(name) DESCRIBE_OBJECT(name, )

#endif
