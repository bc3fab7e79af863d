package io.fibry.cluster.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A long trial: faults of three processes that share actors, one after another, while each of them asks and tells. */
public final class SharedFaults {
    private static final String ALL = "abc";
    /** Asks a second of each node, and as many tells. */
    private static final int RATE = 200;

    /** What may happen. */
    public enum Fault {
        /** A process ends at once, and another one takes its place. */
        KILL,
        /** One stops for a time, which may be too short to be noticed. */
        FREEZE,
        /** One says goodbye while it sends, and another one takes its place. */
        LEAVE,
        /** A fourth one comes and leaves. */
        JOIN
    }

    private SharedFaults() {
    }

    /** As many as {@code -Dtrial.faults} says, drawn with {@code -Dtrial.seed}. */
    public static void many(SharedNodes nodes) throws Exception {
        var seed = Long.getLong("trial.seed", System.nanoTime());
        System.out.println("-Dtrial.seed=" + seed);
        var random = new Random(seed);
        run(nodes, random, random.ints(Integer.getInteger("trial.faults", 6), 0, Fault.values().length)
                .mapToObj(each -> Fault.values()[each]).toList());
    }

    /** These, one after the other. */
    public static void run(SharedNodes nodes, Random random, List<Fault> faults) throws Exception {
        nodes.startAll(ALL);
        for (var fault : faults) {
            var victim = "" + ALL.charAt(random.nextInt(ALL.length()));
            System.out.println(fault + (fault == Fault.JOIN ? "" : " of " + victim));
            nodes.begin(ALL, RATE);
            TimeUnit.MILLISECONDS.sleep(random.nextInt(1000)); // when it happens
            switch (fault) {
                case KILL -> kill(nodes, victim);
                case FREEZE -> freeze(nodes, victim, random.nextBoolean() ? 0 : random.nextInt(4000));
                case LEAVE -> leave(nodes, victim);
                case JOIN -> join(nodes);
            }
        }
        nodes.check();
    }

    private static String without(String victim) {
        return ALL.replace(victim, "");
    }

    private static void start(SharedNodes nodes, String name) throws Exception {
        assertThat(nodes.start(name).awaitReady()).doesNotContain("!");
    }

    private static void kill(SharedNodes nodes, String victim) throws Exception {
        nodes.kill(victim, without(victim));
        start(nodes, victim);
        nodes.awaitSpread(ALL);
        nodes.end("kill of " + victim, without(victim));
    }

    /** For some time, or if that is none until the others have all keys. */
    private static void freeze(SharedNodes nodes, String victim, int millis) throws Exception {
        var frozen = nodes.forget(victim);
        var begin = System.nanoTime();
        frozen.signal("STOP");
        if (millis == 0) {
            nodes.awaitSpread(without(victim));
        } else {
            TimeUnit.MILLISECONDS.sleep(millis); // how long it is frozen
        }
        frozen.signal("CONT");
        nodes.remember(frozen);
        nodes.awaitSpread(ALL);
        nodes.wasAway(frozen, begin);
        nodes.end("freeze of " + victim, without(victim));
        nodes.endOne("freeze of " + victim, victim);
    }

    /** The process that has left has sent until it could not, and what it has told is handled. */
    private static void goodbye(SharedNodes nodes, String name) throws Exception {
        assertThat(nodes.node(name).ask("leave")).isEqualTo("true");
        assertThat(nodes.endOne("goodbye", name).uncertain()).isZero();
        nodes.forget(name).kill();
    }

    private static void leave(SharedNodes nodes, String victim) throws Exception {
        goodbye(nodes, victim);
        start(nodes, victim);
        nodes.awaitSpread(ALL);
        assertThat(nodes.end("leave of " + victim, without(victim)))
                .allMatch(each -> each.uncertain() == 0);
    }

    private static void join(SharedNodes nodes) throws Exception {
        start(nodes, "d");
        nodes.begin("d", RATE);
        nodes.awaitSpread(ALL + "d");
        goodbye(nodes, "d");
        nodes.awaitSpread(ALL);
        assertThat(nodes.end("join", ALL)).allMatch(each -> each.uncertain() == 0);
    }
}
