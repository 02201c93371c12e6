/** Frag. */
final class Frag {
  private static final int ENTRY_BYTES = 24, PAYLOAD_HEAD_BYTES = 16, BYTES_PER_SLOT = 128;
  private static final int[][] PHASES = {{32, 512}, {600, 2000}, {32, 2000}, {1100, 8000}, {32, 512}};

  private static final class Entry {
    int[] payload;
    int bytes;
  }

  private static final class Tree {
    final Tree left, right;

    Tree(Tree left, Tree right) {
      this.left = left;
      this.right = right;
    }
  }

  private final long budget;
  private final Entry[] cache;
  private long live;
  private int random = Xorshift.SEED;

  private Frag(long budget) {
    int slots = 1;
    while (slots < budget / BYTES_PER_SLOT) slots *= 2;
    this.budget = budget;
    cache = new Entry[slots];
  }

  private int next() {
    return random = Xorshift.after(random);
  }

  private static Tree build(long depth) {
    return depth == 0 ? null : new Tree(build(depth - 1), build(depth - 1));
  }

  private static int count(Tree tree) {
    return tree == null ? 0 : 1 + count(tree.left) + count(tree.right);
  }

  private void evict(int slot) {
    if (cache[slot] == null) return;
    live -= cache[slot].bytes;
    cache[slot] = null;
  }

  private void replace(int slot, int bytes, int content) {
    int[] payload = new int[(bytes - PAYLOAD_HEAD_BYTES) / 4];
    payload[0] = content;
    if (cache[slot] != null && (content & 1) != 0) {
      live -= cache[slot].bytes;
    } else {
      evict(slot);
      cache[slot] = new Entry();
    }
    cache[slot].payload = payload;
    cache[slot].bytes = bytes + ENTRY_BYTES;
    live += cache[slot].bytes;
  }

  private int runPhase(int[] sizes, long depth, long turnover) {
    int nodes = 0;
    for (long allocated = 0; allocated < turnover * budget; ) {
      int bytes = (sizes[0] + Integer.remainderUnsigned(next(), sizes[1] - sizes[0] + 1)) & ~7;
      int slot = next() & (cache.length - 1);
      nodes += count(build(depth));
      replace(slot, bytes, next());
      while (live > budget) evict(next() & (cache.length - 1));
      allocated += bytes + ENTRY_BYTES;
      Stall.step();
    }
    return nodes;
  }

  private int checksum() {
    int sum = 0;
    for (Entry entry : cache) if (entry != null) sum = sum * 31 + entry.payload[0] + entry.bytes;
    return sum;
  }

  static long run(long[] sizes) {
    Frag frag = new Frag(sizes[0] << 20);
    int sum = frag.runPhase(PHASES[0], sizes[1], sizes[2]);
    Stall.begin();
    for (int phase = 1; phase < PHASES.length; phase++) sum += frag.runPhase(PHASES[phase], sizes[1], sizes[2]);
    return Integer.toUnsignedLong(sum + frag.checksum());
  }
}
