package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.cluster.infinispan.Trial.Fault;
import io.fibry.testing.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Processes that are killed, frozen and cut off while they change the same entries: no acknowledged change is lost, undone or made twice, and a
 * minority acknowledges none.
 */
class FaultsTest {
    private static final long DETECTION = 1500;

    @TempDir
    private Path folder;

    @Promise("83.17")
    @Test
    @Timeout(value = 2, unit = TimeUnit.MINUTES)
    void aKillACutAndLinksThatGoOneAfterAnotherLoseNothing() throws Exception {
        try (var trial = new Trial(folder, 3, DETECTION, 1, false, Ports.free(3))) {
            trial.hammer();
            trial.harm(Fault.KILL);
            trial.harm(Fault.CUT);
            trial.harm(Fault.FRAY);
        }
    }

    /** docs/adr/0018-the-majority-stays-our-own.md has the command of the long run. */
    @Promise("83.17")
    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyFaultsLoseNothing() throws Exception {
        run(3, Integer.getInteger("trial.faults", 10), false, kinds());
    }

    /** All, or those that {@code -Dtrial.kinds=FRAY,CUT} names. */
    private static List<Fault> kinds() {
        var named = System.getProperty("trial.kinds", "");
        return named.isEmpty() ? List.of(Fault.values())
                : Stream.of(named.split(",")).map(Fault::valueOf).toList();
    }

    @Promise("83.17")
    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void manyFaultsOfFiveInNetworksOfTheirOwnLoseNothing() throws Exception {
        assumeTrue(Namespaces.canBeMade(), "network namespaces need root");
        run(5, Integer.getInteger("trial.faults", 10), true, kinds());
    }

    /** Nodes that do not answer hold up no messages to others: of five nodes, two may be cut off at a time. */
    @Promise("83.11")
    @Test
    @Tag("thorough")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void theRestOfFiveServesSoonAfterACut() throws Exception {
        assumeTrue(Namespaces.canBeMade(), "network namespaces need root");
        // With this seed all cuts last longer than the detection takes, and two of them cut off two nodes.
        try (var trial = new Trial(folder, 5, DETECTION, new Random(77).nextLong(), true, Ports.free(5))) {
            trial.hammer();
            for (var i = 0; i < 5; i++) {
                trial.harm(Fault.CUT);
            }
            System.out.println(trial.figures());
            assertThat(trial.longestOutage(Fault.CUT))
                    .isLessThan(Duration.ofMillis(DETECTION).plusSeconds(6));
        }
    }

    @Promise("83.15")
    @Test
    @Tag("thorough")
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void twoNodesOnOneMachineGoOnAfterAKill() throws Exception {
        run(2, Integer.getInteger("trial.faults", 10), false,
                List.of(Fault.KILL, Fault.FREEZE, Fault.CUT, Fault.LEAVE));
    }

    private void run(int size, int faults, boolean namespaces, List<Fault> kinds) throws Exception {
        var seed = Long.getLong("trial.seed", System.nanoTime());
        System.out.println("-Dtrial.seed=" + seed);
        var random = new Random(seed);
        var begin = System.nanoTime();
        try (var trial =
                new Trial(folder, size, Long.getLong("trial.detection", DETECTION), random.nextLong(),
                        namespaces, Ports.free(size))) {
            System.out.println(size + " nodes formed after " + (System.nanoTime() - begin) / 1_000_000
                    + " ms; 64 bytes there and back: "
                    + trial.nodes().getFirst().ask("ping 20000"));
            trial.hammer();
            for (var i = 0; i < faults; i++) {
                trial.harm(kinds.get(random.nextInt(kinds.size())));
            }
            System.out.println(trial.figures());
            assertThat(trial.figures()).startsWith(faults + " faults");
        }
    }
}
