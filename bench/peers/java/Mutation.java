/** W3. */
final class Mutation {
  private static final int CUTS = 3 << 20;

  private static final class Node {
    Node next;
    final int key, val;

    Node(Node next, int key, int val) {
      this.next = next;
      this.key = key;
      this.val = val;
    }
  }

  private static void operate(Node[] slots, int slot, int x, int k) {
    Node old = slots[slot];
    if ((x & CUTS) == 0) {
      old.next = new Node(null, x >>> 1, k);
    } else {
      old.next = null;
      slots[slot] = new Node(old, x >>> 1, k);
    }
  }

  private static int checksum(Node[] slots) {
    int h = 0;
    for (Node slot : slots) for (Node node = slot; node != null; node = node.next) h = h * 31 + (node.key + node.val);
    return h;
  }

  static long run(long[] sizes) {
    int length = 1 << sizes[0], operations = (int) sizes[1], x = Xorshift.SEED;
    Node[] slots = new Node[length];
    for (int i = 0; i < length; i++) slots[i] = new Node(null, i, 0);
    Stall.begin();
    for (int k = 1; k <= operations; k++) {
      x = Xorshift.after(x);
      operate(slots, x & (length - 1), x, k);
      if (k % Stall.OPERATIONS == 0) Stall.step();
    }
    return Integer.toUnsignedLong(checksum(slots));
  }
}
