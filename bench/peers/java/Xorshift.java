/** The random numbers of the workloads. */
final class Xorshift {
  static final int SEED = (int) 2463534242L;

  static int after(int x) {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return x;
  }
}
