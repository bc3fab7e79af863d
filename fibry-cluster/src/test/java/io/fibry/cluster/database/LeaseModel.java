package io.fibry.cluster.database;

import java.util.Arrays;
import java.util.stream.Stream;

/**
 * The rules of leases, removals, periods of service and the fence, as the steps of three nodes and two keys, which {@link LeaseModelTest}
 * takes in every order.
 *
 * <p>A node that takes no step is frozen or cut off, and a database that takes none is away. Time passes in ticks, in which all else
 * happens in any order. The clocks are as far apart as the margin lets them be: a node whose clock is the slowest serves for {@link #LEASE}
 * ticks, after which an observer whose clock is the fastest, and which has seen each beat at once, removes it. The database takes a beat or
 * a join when it begins: what passes before shortens the lease, and a node may end its service at any time.
 */
final class LeaseModel {
    static final int NODES = 3;
    static final int KEYS = 2;
    private static final int LEASE = 2;

    /** What is done wrong. */
    enum Mistake {
        NONE, //
        LEASE_OVERRUNS, //
        LEASE_COUNTS_FROM_THE_ANSWER, //
        CLOCK_STANDS_STILL_IN_A_SUSPENDED_MACHINE, //
        ANY_ANSWER_RENEWS_THE_LEASE, //
        REMOVAL_IS_TOO_EARLY, //
        REMOVAL_COMPARES_NO_BEAT, //
        SILENCE_IS_TAKEN_FOR_DEATH, //
        GATE_IS_OFF, //
        PERIOD_KEEPS_HOMES, //
        JOINS_BEFORE_ALL_HAS_ENDED, //
        FENCE_IS_OFF, //
        FENCE_HOLDS_NO_ROW //
    }

    /** A turn of a key on a node. */
    private enum Turn {
        NONE, RUNS,
        /** The transaction of its effect holds the row of the home. */
        COMMITS
    }

    /** A node, and its row. What says nothing has one value, so that there are fewer states. */
    private static final class Node {
        private static final Turn[] TURNS = Turn.values();
        boolean serves;
        /** Ticks since the begin of the last beat that was answered. */
        int age;
        /** Ticks since the begin of the beat, or the join, that has no answer yet; negative if there is none. */
        int asked;
        /** The keys that it has opened in this period. */
        final boolean[] open = new boolean[KEYS];
        final Turn[] turns = new Turn[KEYS];
        // In the database.
        boolean isMember;
        /** Ticks since its last beat. */
        int silent;
        /** The observer has found it lost; used by one mistake. */
        boolean isFoundLost;
        /** The keys whose rows name it as their home. */
        final boolean[] home = new boolean[KEYS];

        boolean hasEnded() {
            for (var each : turns) {
                if (each != Turn.NONE) {
                    return false;
                }
            }
            return true;
        }

        void load(long word) {
            serves = (word & 1) != 0;
            isMember = (word & 2) != 0;
            isFoundLost = (word & 4) != 0;
            age = (int) ((word >> 3) & 7);
            silent = (int) ((word >> 6) & 7);
            asked = (int) ((word >> 9) & 7) - 1;
            for (int key = 0; key < KEYS; key++) {
                var bits = word >> (12 + 4 * key);
                open[key] = (bits & 1) != 0;
                home[key] = (bits & 2) != 0;
                turns[key] = TURNS[(int) ((bits >> 2) & 3)];
            }
        }

        long word(boolean swapsKeys) {
            var word = bit(serves) | (bit(isMember) << 1) | (bit(isFoundLost) << 2) | ((long) age << 3)
                    | ((long) silent << 6) | ((asked + 1L) << 9);
            for (int i = 0; i < KEYS; i++) {
                var key = swapsKeys ? KEYS - 1 - i : i;
                word |= (bit(open[key]) | (bit(home[key]) << 1) | ((long) turns[key].ordinal() << 2)) << (12
                        + 4 * i);
            }
            return word;
        }
    }

    /** Is told what a step makes of a state. */
    @FunctionalInterface
    interface Visitor {
        /** A step was possible, of a node or of all; the fault is empty if there is none. */
        void step(String what, int node, long next, String fault);
    }

    private static final int WORD = 12 + 4 * KEYS;

    private final Mistake mistake;
    private final int overrun;
    private final Node[] nodes = Stream.generate(Node::new).limit(NODES).toArray(Node[]::new);
    /** Whether a key has no home, or its home was removed since it has claimed the key: so others may claim it. */
    private final boolean[] free = new boolean[KEYS];
    private final long[] words = new long[NODES];
    private long state;
    private String fault = "";

    LeaseModel(Mistake mistake) {
        this.mistake = mistake;
        overrun = is(Mistake.LEASE_OVERRUNS) ? 1 : 0;
    }

    private boolean is(Mistake other) {
        return mistake == other;
    }

    private static long bit(boolean value) {
        return value ? 1 : 0;
    }

    /** The first state: nobody is a member, and all keys are free. */
    static long first() {
        return ((1L << KEYS) - 1) << (NODES * WORD);
    }

    private void load(long from) {
        state = from;
        for (int i = 0; i < NODES; i++) {
            nodes[i].load(from >> (i * WORD));
        }
        for (int key = 0; key < KEYS; key++) {
            free[key] = ((from >> (NODES * WORD + key)) & 1) != 0;
        }
    }

    private long save(boolean swapsKeys, boolean sortsNodes) {
        for (int i = 0; i < NODES; i++) {
            words[i] = nodes[i].word(swapsKeys);
        }
        if (sortsNodes) {
            Arrays.sort(words);
        }
        long saved = 0;
        for (int i = 0; i < NODES; i++) {
            saved |= words[i] << (i * WORD);
        }
        for (int key = 0; key < KEYS; key++) {
            saved |= bit(free[swapsKeys ? KEYS - 1 - key : key]) << (NODES * WORD + key);
        }
        return saved;
    }

    /** Returns the same for states that differ in the order of nodes or of keys alone. */
    long anyOrder(long of) {
        load(of);
        return Math.min(save(false, true), save(true, true));
    }

    /** Takes each step that is possible in a state. */
    void eachStep(long from, Visitor visitor) {
        load(from);
        take("a tick", -1, visitor, () -> tick(-1));
        if (is(Mistake.CLOCK_STANDS_STILL_IN_A_SUSPENDED_MACHINE)) {
            take("a tick in which the machine of a node is suspended", 0, visitor, () -> tick(0));
        }
        for (int i = 0; i < NODES; i++) {
            lease(i, visitor);
            removal(i, visitor);
            for (int key = 0; key < KEYS; key++) {
                home(i, key, visitor);
                turn(i, key, visitor);
            }
        }
    }

    private void take(String what, int node, Visitor visitor, Runnable change) {
        change.run();
        visitor.step(what, node, save(false, false), fault);
        fault = "";
        load(state);
    }

    private void tick(int suspended) {
        for (int i = 0; i < NODES; i++) {
            var node = nodes[i];
            if (node.serves && i != suspended) {
                node.age = Math.min(node.age + 1, LEASE + overrun);
            }
            if (node.asked >= 0) {
                node.asked = node.asked + 1 < LEASE ? node.asked + 1 : -1; // an answer would not help any more
            }
            if (node.isMember) {
                node.silent = Math.min(node.silent + 1, LEASE);
                node.isFoundLost |= is(Mistake.REMOVAL_COMPARES_NO_BEAT) && node.silent == LEASE;
            }
        }
    }

    // ---- Rule 1, and of rule 6 that a node joins when all has ended. ----

    private boolean hasLease(Node node) {
        return node.serves && node.age < LEASE + overrun;
    }

    private void lease(int i, Visitor visitor) {
        var node = nodes[i];
        if (!node.serves && node.asked < 0
                && (node.hasEnded() || is(Mistake.JOINS_BEFORE_ALL_HAS_ENDED))) {
            take("joins", i, visitor, () -> {
                node.isMember = true;
                beat(node);
            });
        }
        if (node.serves && node.asked < 0 && (node.isMember || is(Mistake.ANY_ANSWER_RENEWS_THE_LEASE))) {
            take("beats", i, visitor, () -> beat(node));
        }
        if (node.asked >= 0
                && (!node.serves || hasLease(node) || is(Mistake.ANY_ANSWER_RENEWS_THE_LEASE))) {
            take("has its answer", i, visitor, () -> {
                node.serves = true;
                node.age = is(Mistake.LEASE_COUNTS_FROM_THE_ANSWER) ? 0 : node.asked;
                node.asked = -1;
            });
        }
        if (node.asked >= 0) {
            take("has no answer", i, visitor, () -> node.asked = -1);
        }
        if (node.serves) {
            take("falls silent", i, visitor, () -> fallSilent(node));
        }
        take("is killed", i, visitor, () -> {
            fallSilent(node);
            for (int key = 0; key < KEYS; key++) {
                node.open[key] = false;
                node.turns[key] = Turn.NONE;
            }
        });
    }

    private void beat(Node node) {
        node.asked = 0;
        if (node.isMember) {
            node.silent = 0;
            node.isFoundLost &= is(Mistake.REMOVAL_COMPARES_NO_BEAT);
        }
    }

    private void fallSilent(Node node) {
        node.serves = false;
        node.age = 0;
        node.asked = -1;
        for (int key = 0; key < KEYS; key++) {
            node.open[key] &= is(Mistake.PERIOD_KEEPS_HOMES);
        }
    }

    // ---- Rule 2. ----

    private void removal(int i, Visitor visitor) {
        var node = nodes[i];
        var isOld = node.silent >= LEASE - (is(Mistake.REMOVAL_IS_TOO_EARLY) ? 1 : 0);
        var isDead = !node.serves && node.asked < 0 && node.hasEnded(); // or it has said goodbye
        if (node.isMember
                && (isOld || isDead || node.isFoundLost || is(Mistake.SILENCE_IS_TAKEN_FOR_DEATH))) {
            take("is removed", i, visitor, () -> {
                node.isMember = false;
                node.silent = 0;
                node.isFoundLost = false;
                for (int key = 0; key < KEYS; key++) {
                    free[key] |= node.home[key];
                }
            });
        }
    }

    // ---- Homes: compare-and-set of a row, by a member. ----

    private void home(int i, int key, Visitor visitor) {
        var node = nodes[i];
        var isHeld = false;
        for (var each : nodes) {
            isHeld |= each.home[key] && each.turns[key] == Turn.COMMITS && !is(Mistake.FENCE_HOLDS_NO_ROW);
        }
        if (node.serves && node.isMember && !node.open[key] && (free[key] || node.home[key]) && !isHeld) {
            take("claims a key", i, visitor, () -> {
                claim(node, key);
                node.open[key] = true;
                if (node.turns[key] != Turn.NONE) {
                    fault = "a node opens a key while a turn of its last period goes on";
                }
            });
            take("claims a key, and is not told", i, visitor, () -> claim(node, key));
        }
    }

    private void claim(Node node, int key) {
        for (var each : nodes) {
            each.home[key] = each == node;
        }
        free[key] = false;
    }

    // ---- The gate of rule 6, and rule 7. ----

    private void turn(int i, int key, Visitor visitor) {
        var node = nodes[i];
        if (node.open[key] && node.turns[key] == Turn.NONE
                && (hasLease(node) || node.serves && is(Mistake.GATE_IS_OFF))) {
            take(node.age == LEASE - 1 ? "begins a turn in its last tick" : "begins a turn", i, visitor,
                    () -> {
                        node.turns[key] = Turn.RUNS;
                        if (!node.home[key]) {
                            fault = "a turn begins after the next claim";
                        }
                    });
        }
        if (node.turns[key] == Turn.RUNS && (node.home[key] || is(Mistake.FENCE_IS_OFF))) {
            take("holds the row of its home", i, visitor, () -> node.turns[key] = Turn.COMMITS);
        }
        if (node.turns[key] == Turn.COMMITS) {
            take(node.serves ? "commits" : "commits without a lease", i, visitor, () -> {
                node.turns[key] = Turn.NONE;
                if (!node.home[key]) {
                    fault = "an older home writes after the next claim";
                }
            });
        }
        if (node.turns[key] != Turn.NONE) {
            take(node.home[key] ? "ends a turn without an effect" : "is fenced", i, visitor,
                    () -> node.turns[key] = Turn.NONE);
        }
    }

    /** What a state is, for those who look for a mistake. */
    String text(long of) {
        load(of);
        var text = new StringBuilder();
        for (var node : nodes) {
            text.append(node.serves ? " | serves, age " + node.age : " | silent")
                    .append(node.asked < 0 ? "" : ", asked " + node.asked)
                    .append(node.isMember ? ", member, " + node.silent : "");
            for (int key = 0; key < KEYS; key++) {
                text.append(" k").append(key).append(node.home[key] ? " home" : "")
                        .append(node.open[key] ? " open" : "").append(' ')
                        .append(node.turns[key] == Turn.NONE ? "" : node.turns[key]);
            }
        }
        return text.toString();
    }
}
