/** W1. */
final class BinaryTrees {
  private static final int LEAST_DEPTH = 4;

  private static final class Tree {
    final Tree left, right;

    Tree(Tree left, Tree right) {
      this.left = left;
      this.right = right;
    }
  }

  private static Tree build(int depth) {
    if (depth == 0) return new Tree(null, null);
    Tree left = build(depth - 1);
    Tree right = build(depth - 1);
    return new Tree(left, right);
  }

  private static long count(Tree tree) {
    return tree == null ? 0 : 1 + count(tree.left) + count(tree.right);
  }

  static long run(long[] sizes) {
    int depth = (int) sizes[0];
    long sum = count(build(depth + 1));
    Tree lasting = build(depth);
    for (int d = LEAST_DEPTH; d <= depth; d += 2)
      for (long trees = 1L << (depth - d + LEAST_DEPTH); trees > 0; trees--) sum += count(build(d));
    return sum + count(lasting);
  }
}
