/* A plugin of qemu (docs/devel/tcg-plugins.rst there) that counts instructions. Debian has no
 * qemu-plugin.h to include. */
#include <inttypes.h>
#include <stdio.h>

struct qemu_plugin_tb;
enum { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                           void (*call)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation,
                                              void *counter, uint64_t operand);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*call)(uint64_t, void *), void *context);

extern int qemu_plugin_version;
int qemu_plugin_version = 1;
static uint64_t instructions;

static void count_block(uint64_t id, struct qemu_plugin_tb *block) {
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &instructions,
                                           qemu_plugin_tb_n_insns(block));
}

static void print(uint64_t id, void *context) {
  fprintf(stderr, "instructions: %" PRIu64 "\n", instructions);
}

int qemu_plugin_install(uint64_t id, const void *machine, int count, char **arguments);
int qemu_plugin_install(uint64_t id, const void *machine, int count, char **arguments) {
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_atexit_cb(id, print, NULL);
  return 0;
}
