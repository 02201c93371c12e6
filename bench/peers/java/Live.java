/** Much that lives, and little of it changing: a tree, a hash map and arrays of numbers. */
final class Live {
  private static final int SHORT_DEPTH = 4, ARRAY_PERIOD = 64, LEAST_LENGTH = 512, LENGTHS = 7168;

  private static final class Tree {
    Tree left, right;
  }

  private static final class Entry {
    Entry next;
    Tree part;
    int key, value;

    Entry(Entry next, Tree part, int key, int value) {
      this.next = next;
      this.part = part;
      this.key = key;
      this.value = value;
    }
  }

  private static Tree build(int depth) {
    Tree left = depth == 0 ? null : build(depth - 1);
    Tree right = depth == 0 ? null : build(depth - 1);
    Tree tree = new Tree();
    tree.left = left;
    tree.right = right;
    return tree;
  }

  private static int count(Tree tree) {
    return tree == null ? 0 : 1 + count(tree.left) + count(tree.right);
  }

  private static int[] newNumbers(int x) {
    int[] numbers = new int[LEAST_LENGTH + Integer.remainderUnsigned(x, LENGTHS)];
    for (int i = 0; i < numbers.length; i++) numbers[i] = x + i;
    return numbers;
  }

  private static int bucketOf(int key, int bits) {
    return bits == 0 ? 0 : key * (int) 2654435769L >>> (32 - bits);
  }

  private static Entry[] fillMap(int bits, Tree tree) {
    Entry[] map = new Entry[1 << bits];
    for (int key = 0; key < 1 << bits; key++) {
      int bucket = bucketOf(key, bits);
      map[bucket] = new Entry(map[bucket], tree, key, 0);
    }
    return map;
  }

  private static int[][] fillTable(int bits) {
    int[][] table = new int[1 << bits][];
    for (int i = 0, x = Xorshift.SEED; i < 1 << bits; i++) table[i] = newNumbers(x = Xorshift.after(x));
    return table;
  }

  private static Entry successor(Entry old, int x, Tree root) {
    int nodes = count(build(SHORT_DEPTH));
    Tree part = x < 0 ? old.part.left : old.part.right;
    return new Entry(old.next, part == null ? root : part, old.key, old.value + nodes);
  }

  private static void replace(Entry[] map, int bits, int x, Tree root) {
    int key = x & ((1 << bits) - 1), bucket = bucketOf(key, bits);
    Entry before = null, old = map[bucket];
    while (old.key != key) {
      before = old;
      old = old.next;
    }
    Entry entry = successor(old, x, root);
    if (before == null) map[bucket] = entry;
    else before.next = entry;
  }

  private static int replaceNumbers(int[][] table, int bits, int x) {
    int i = x & ((1 << bits) - 1);
    int sample = table[i][Integer.remainderUnsigned(x, LEAST_LENGTH)];
    table[i] = newNumbers(x);
    return sample;
  }

  private static int endMap(Entry[] map) {
    int h = 0;
    for (Entry bucket : map)
      for (Entry entry = bucket; entry != null; entry = entry.next)
        h = h * 31 + (entry.key ^ entry.value) + (entry.part.left == null ? 1 : 0);
    return h;
  }

  private static int endTable(int[][] table) {
    int h = 0;
    for (int[] numbers : table) h = h * 31 + numbers[LEAST_LENGTH - 1];
    return h;
  }

  static long run(long[] sizes) {
    int entryBits = (int) sizes[0], arrayBits = (int) sizes[2], x = Xorshift.SEED, sum = 0;
    Tree tree = build((int) sizes[1]);
    Entry[] map = fillMap(entryBits, tree);
    int[][] table = fillTable(arrayBits);
    Stall.begin();
    for (long k = 1; k <= sizes[3]; k++) {
      x = Xorshift.after(x);
      replace(map, entryBits, x, tree);
      if (k % ARRAY_PERIOD == 0) sum += replaceNumbers(table, arrayBits, x);
      if (k % Stall.OPERATIONS == 0) Stall.step();
    }
    sum = (sum * 31 + endMap(map)) * 31 + endTable(table) + count(tree);
    return sum & 0xffffffffL;
  }
}
