/** W4. */
final class Splay {
  private static final int PAYLOAD_DEPTH = 5, PAYLOAD_NUMBERS = 10, SAMPLED = 3;

  private static final class Branch {
    final Object left, right;

    Branch(Object left, Object right) {
      this.left = left;
      this.right = right;
    }
  }

  private static final class Leaf {
    final int[] array;
    final int tag;

    Leaf(int[] array, int tag) {
      this.array = array;
      this.tag = tag;
    }
  }

  private static final class Node {
    Node left, right;
    final Object payload;
    final int key;

    Node(int key, Object payload) {
      this.key = key;
      this.payload = payload;
    }
  }

  private Node root;
  private int random = Xorshift.SEED;

  private static Leaf newLeaf(int tag) {
    int[] array = new int[PAYLOAD_NUMBERS];
    for (int i = 0; i < PAYLOAD_NUMBERS; i++) array[i] = i;
    return new Leaf(array, tag);
  }

  private static Object newPayload(int depth, int tag) {
    if (depth == 0) return newLeaf(tag);
    Object left = newPayload(depth - 1, tag);
    Object right = newPayload(depth - 1, tag);
    return new Branch(left, right);
  }

  private static int payloadSum(int depth, Object payload) {
    if (depth == 0) {
      Leaf leaf = (Leaf) payload;
      return leaf.tag + leaf.array[SAMPLED];
    }
    Branch branch = (Branch) payload;
    return payloadSum(depth - 1, branch.left) + payloadSum(depth - 1, branch.right);
  }

  private static Node rotateRight(Node node) {
    Node left = node.left;
    node.left = left.right;
    left.right = node;
    return left;
  }

  private static Node rotateLeft(Node node) {
    Node right = node.right;
    node.right = right.left;
    right.left = node;
    return right;
  }

  private void splay(int key) {
    if (root == null) return;
    Node sides = new Node(0, null);
    Node left = sides, right = sides, current = root;
    while (key != current.key) {
      if (key < current.key) {
        if (current.left != null && key < current.left.key) current = rotateRight(current);
        if (current.left == null) break;
        right.left = current;
        right = current;
        current = current.left;
      } else {
        if (current.right != null && key > current.right.key) current = rotateLeft(current);
        if (current.right == null) break;
        left.right = current;
        left = current;
        current = current.right;
      }
    }
    left.right = current.left;
    right.left = current.right;
    current.left = sides.right;
    current.right = sides.left;
    root = current;
  }

  private boolean contains(int key) {
    splay(key);
    return root != null && root.key == key;
  }

  private void insert(int key, Object payload) {
    splay(key);
    Node node = new Node(key, payload);
    if (root != null && key > root.key) {
      node.left = root;
      node.right = root.right;
      root.right = null;
    } else if (root != null) {
      node.right = root;
      node.left = root.left;
      root.left = null;
    }
    root = node;
  }

  private void remove(int key) {
    splay(key);
    if (root.left == null) {
      root = root.right;
    } else {
      Node right = root.right;
      root = root.left;
      splay(key);
      root.right = right;
    }
  }

  /** The greatest key below {@code key}, or {@code key} when there is none. */
  private int keyBelow(int key) {
    splay(key);
    if (root.key < key) return root.key;
    Node node = root.left;
    if (node == null) return key;
    while (node.right != null) node = node.right;
    return node.key;
  }

  /** Keys are non-negative. */
  private int insertNew() {
    int key;
    do {
      random = Xorshift.after(random);
      key = random >>> 1;
    } while (contains(key));
    insert(key, newPayload(PAYLOAD_DEPTH, key));
    return key;
  }

  private static int walk(Node node, int h) {
    if (node == null) return h;
    h = walk(node.left, h);
    h = h * 31 + (node.key + payloadSum(PAYLOAD_DEPTH, node.payload));
    return walk(node.right, h);
  }

  static long run(long[] sizes) {
    Splay tree = new Splay();
    int h = 0;
    for (long i = 0; i < sizes[0]; i++) tree.insertNew();
    Stall.begin();
    for (long i = 1; i <= sizes[1]; i++) {
      int removed = tree.keyBelow(tree.insertNew());
      tree.remove(removed);
      h = h * 31 + removed;
      Stall.step();
    }
    return Integer.toUnsignedLong(walk(tree.root, h));
  }
}
