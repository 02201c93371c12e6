import java.util.Arrays;

/** One workload; prints its checksum and, with --stats, a line of JSON. The algorithms are those of bench/workloads. */
final class Workloads {
  private static long[] sizes(String[] words, long... standard) {
    String[] given = Arrays.stream(words).skip(1).filter(word -> !word.equals("--stats")).toArray(String[]::new);
    if (given.length > standard.length) throw new IllegalArgumentException("too many sizes");
    for (int i = 0; i < given.length; i++) standard[i] = Long.parseLong(given[i]);
    return standard;
  }

  public static void main(String[] words) {
    if (words.length == 0) throw new IllegalArgumentException("which workload: w1, w1t, w2, w3, w4, live or frag?");
    long start = System.nanoTime();
    long checksum =
        switch (words[0]) {
          case "w1" -> BinaryTrees.run(sizes(words, 18));
          case "w1t" -> BinaryTrees.runThreads(sizes(words, 2, 18));
          case "w2" -> GcBench.run(sizes(words, 18, 16, 500000, 5));
          case "w3" -> Mutation.run(sizes(words, 20, 20000000));
          case "w4" -> Splay.run(sizes(words, 8000, 1000000));
          case "frag" -> Frag.run(sizes(words, 64, 6, 2));
          case "live" -> Live.run(sizes(words, 23, 23, 14, 5000000));
          default -> throw new IllegalArgumentException("unknown workload " + words[0]);
        };
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.println("checksum " + checksum);
    if (Arrays.asList(words).contains("--stats"))
      System.out.printf("{\"seconds\": %.3f, \"longest_stall_ms\": %.3f}%n", seconds, Stall.longestMilliseconds());
  }
}
