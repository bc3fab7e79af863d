package io.fibry.cluster.infinispan;

import io.fibry.testing.SourceMutant;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes in the code that makes the entries of all members equal. */
class ReconciliationMutantsTest {
    @TempDir
    Path compiled;

    private static SourceMutant mutant(String id, String from, String to, String test) {
        return new SourceMutant(id,
                Path.of("src/main/java/io/fibry/cluster/infinispan/Reconciliation.java"), from, to,
                ReconciliationTest.class, test);
    }

    static List<SourceMutant> mutants() {
        return List.of(
                mutant("node-that-was-away-forgets-nothing", "isLapsed = quorum().isLapsed()",
                        "isLapsed = false", "whatWasRemovedWithoutANodeDoesNotComeBackWithIt"),
                mutant("what-the-cache-has-is-not-compared",
                        "isOdd[bucket(name)] |= !value.equals(me.entries().cached(name))",
                        "isOdd[bucket(name)] |= false",
                        "anAcknowledgedChangeIsWrittenBackWhenAllCachesAreOlder"),
                mutant("nothing-is-written-again",
                        "me.entries().decides(name).equals(engine.channelId()) ? me.entries().writeAgain(name)",
                        "Boolean.FALSE ? me.entries().writeAgain(name)",
                        "whatANodeThatWasAwayHasTooStays"),
                mutant("nothing-is-pruned", "isLapsed ? Set.of() : unknown(me), name ->",
                        "Set.of(), name ->", "whatWasRemovedDoesNotComeBackFromOlderCaches"),
                mutant("nothing-is-put-back",
                        "isLapsed ? Set.of() : names(me, differing::contains),",
                        "Set.of(),", "anAcknowledgedChangeIsWrittenBackWhenAllCachesAreOlder"),
                mutant("node-that-forgets-puts-back",
                        "isLapsed ? Set.of() : names(me, differing::contains),",
                        "names(me, differing::contains),", "whatWasRemovedWithoutANodeDoesNotComeBackWithIt"),
                mutant("cache-is-not-followed", "isCurrent(round) ? cached : before", "before",
                        "whatWasRemovedDoesNotComeBackFromOlderCaches"),
                mutant("nothing-is-dropped", "return writeAll(round, unknown(me), name",
                        "return writeAll(round, Set.of(), name",
                        "whatWasRemovedWithoutANodeDoesNotComeBackWithIt"),
                mutant("marks-stay", "writeAll(round, marks, name", "writeAll(round, Set.of(), name",
                        "aMarkThatWasLeftGoesWithTheNextView"),
                mutant("mark-of-a-member-stays", "isEverywhere ? me.entries().remove(name, mark) : done()",
                        "done()", "theMarkOfARemovedEntryGoes"));
    }

    @Tag("thorough")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    @ParameterizedTest
    @MethodSource("mutants")
    void isFound(SourceMutant mutant) throws Exception {
        mutant.requireFound(compiled);
    }

    @Test
    void eachMarkerHasAMutantAndEachMutantAMarker() throws Exception {
        SourceMutant.requireMarkers(mutants());
    }
}
