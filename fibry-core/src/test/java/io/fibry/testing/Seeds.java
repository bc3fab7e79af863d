package io.fibry.testing;

/**
 * Plays something with many seeds. {@code -Dfibry.seeds=N} plays N of them, {@code -Dfibry.seed=S} only this
 * one.
 */
public final class Seeds {
    /** What is played with one seed. */
    @FunctionalInterface
    public interface Play {
        void play(long seed) throws Exception;
    }

    private Seeds() {
    }

    /** How many seeds to play. */
    public static int count(int byDefault) {
        return only() == null ? Integer.getInteger("fibry.seeds", byDefault) : 1;
    }

    /** Whether only one seed is played, so that nothing can be said about how often something happens. */
    public static Long only() {
        return Long.getLong("fibry.seed");
    }

    /** Plays all seeds and fails with the first that fails. {@code options} select the test. */
    public static void playAll(String options, int byDefault, Play play) {
        var only = only();
        var first = only == null ? 1 : only;
        for (long seed = first; seed < first + count(byDefault); seed++) {
            try {
                play.play(seed);
            } catch (Throwable failure) {
                throw new AssertionError("seed " + seed + " fails: " + failure.getMessage()
                        + "\nReplay it with\n"
                        + "    mvn -B -pl fibry-core test " + options + " -Dfibry.seed=" + seed + "\n",
                        failure);
            }
        }
    }
}
