import java.util.stream.IntStream;

/** W1, also divided among threads. */
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

  /** Of the trees of each depth, every threads-th. */
  private static long buildShare(int thread, int threads, int depth) {
    long sum = 0;
    for (int d = LEAST_DEPTH; d <= depth; d += 2)
      for (long tree = thread; tree < 1L << (depth - d + LEAST_DEPTH); tree += threads) sum += count(build(d));
    return sum;
  }

  private static long sumOfShares(int threads, int depth) {
    long[] sums = new long[threads];
    Thread[] others =
        IntStream.range(1, threads)
            .mapToObj(i -> new Thread(() -> sums[i] = buildShare(i, threads, depth)))
            .toArray(Thread[]::new);
    for (Thread other : others) other.start();
    sums[0] = buildShare(0, threads, depth);
    try {
      for (Thread other : others) other.join();
    } catch (InterruptedException exception) {
      throw new IllegalStateException(exception);
    }
    long sum = 0;
    for (long share : sums) sum += share;
    return sum;
  }

  private static long buildAll(int threads, int depth) {
    long sum = count(build(depth + 1));
    Tree lasting = build(depth);
    sum += sumOfShares(threads, depth);
    return sum + count(lasting);
  }

  static long run(long[] sizes) {
    return buildAll(1, (int) sizes[0]);
  }

  static long runThreads(long[] sizes) {
    return buildAll((int) sizes[0], (int) sizes[1]);
  }
}
