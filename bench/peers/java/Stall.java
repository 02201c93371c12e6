/** The most time that any OPERATIONS consecutive operations took. */
final class Stall {
  static final int OPERATIONS = 1000;
  private static long previous, longest;

  static void begin() {
    longest = 0;
    previous = System.nanoTime();
  }

  static void step() {
    long now = System.nanoTime();
    longest = Math.max(longest, now - previous);
    previous = now;
  }

  static double longestMilliseconds() {
    return longest / 1e6;
  }
}
