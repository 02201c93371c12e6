/** W2. */
final class GcBench {
  private static final int LEAST_DEPTH = 4, SAMPLED = 1000;

  private static final class Node {
    Node left, right;
    int i, j;

    Node(Node left, Node right) {
      this.left = left;
      this.right = right;
    }
  }

  private static void populate(int depth, Node node) {
    if (depth == 0) return;
    node.left = new Node(null, null);
    node.right = new Node(null, null);
    populate(depth - 1, node.left);
    populate(depth - 1, node.right);
  }

  private static Node buildTopDown(int depth) {
    Node root = new Node(null, null);
    populate(depth, root);
    return root;
  }

  private static Node buildBottomUp(int depth) {
    if (depth == 0) return new Node(null, null);
    Node left = buildBottomUp(depth - 1);
    Node right = buildBottomUp(depth - 1);
    return new Node(left, right);
  }

  private static long count(Node node) {
    return node == null ? 0 : 1 + count(node.left) + count(node.right);
  }

  private static long check(Node node) {
    return node.left != null ? 1 : 0;
  }

  private static long size(int depth) {
    return (1L << (depth + 1)) - 1;
  }

  private static double[] reciprocals(int length) {
    double[] numbers = new double[length];
    for (int i = 1; i < length / 2; i++) numbers[i] = 1.0 / i;
    return numbers;
  }

  private static long repetition(int stretchDepth, int lastingDepth, int length) {
    long sum = check(buildBottomUp(stretchDepth));
    Node lasting = buildTopDown(lastingDepth);
    double[] numbers = reciprocals(length);
    for (int d = LEAST_DEPTH; d <= lastingDepth; d += 2) {
      long trees = 2 * size(stretchDepth) / size(d);
      for (long i = 0; i < trees; i++) sum += check(buildTopDown(d));
      for (long i = 0; i < trees; i++) sum += check(buildBottomUp(d));
    }
    return sum + count(lasting) + Math.round(numbers[SAMPLED] * 1e6);
  }

  static long run(long[] sizes) {
    long sum = 0;
    for (long i = 0; i < sizes[3]; i++) sum += repetition((int) sizes[0], (int) sizes[1], (int) sizes[2]);
    return sum;
  }
}
