package io.fibry.cluster;

import io.fibry.testing.SourceMutant;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes between the member, which a simulation plays, and the actors, which it does not. */
class HostedMutantsTest {
    @TempDir
    Path compiled;

    private static SourceMutant mutant(String id, String source, String from, String to, String test) {
        return new SourceMutant(id, Path.of("src/main/java/io/fibry/cluster", source), from, to,
                HostedGroupTest.class,
                test);
    }

    static List<SourceMutant> mutants() {
        return List.of(
                mutant("message-is-acknowledged-before-it-is-in-the-mailbox", "LetterReader.java",
                        "return DeliveredAsks.isLimited(delivery) ? to.sendMessage(",
                        "asks.settle(delivery, Verdict.TAKEN); return DeliveredAsks.isLimited(delivery) ? to.sendMessage(",
                        "aMessageIsAcknowledgedWhenItIsInTheMailbox"),
                mutant("message-without-room-is-acknowledged", "LetterReader.java",
                        "tell(delivery, letter.message, to) ? Verdict.TAKEN : refusal.get()",
                        "tell(delivery, letter.message, to) ? Verdict.TAKEN : Verdict.TAKEN",
                        "aMessageForWhichThereIsNoRoomIsNotAcknowledged"),
                mutant("gate-is-open-without-a-lease", "HostedGroup.java", "keys.gate(serves);",
                        "keys.gate(() -> true);",
                        "nothingBeginsWithoutALease"),
                mutant("node-that-is-cut-off-goes-on", "HostedGroup.java",
                        "if (halted.get(delivery.slice()) == 1) {", "if (Boolean.FALSE) {",
                        "whatComesAfterANodeWasCutOffIsNotHandled"),
                mutant("slice-ends-before-its-actors", "HostedGroup.java",
                        ".thenRun(() -> member",
                        ".isDone() ? null : CompletableFuture.completedFuture(null).thenRun(() -> member",
                        "aSliceHasEndedWhenItsActorsHave"),
                mutant("slice-ends-while-a-sender-is-inside", "HostedGroup.java", "if (isEmpty.isDone()) {",
                        "if (Boolean.TRUE) {", "aSliceHasNotEndedWhileASenderIsInside"));
    }

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
