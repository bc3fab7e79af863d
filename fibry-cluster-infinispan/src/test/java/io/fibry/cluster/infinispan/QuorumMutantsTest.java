package io.fibry.cluster.infinispan;

import io.fibry.testing.SourceMutant;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Mistakes in the code that finds the majority. */
class QuorumMutantsTest {
    @TempDir
    Path compiled;

    private static SourceMutant mutant(String id, String from, String to, String test) {
        return new SourceMutant(id, Path.of("src/main/java/io/fibry/cluster/infinispan/Quorum.java"), from,
                to,
                QuorumTest.class, test);
    }

    static List<SourceMutant> mutants() {
        return List.of(
                mutant("half-is-a-majority", "return here * 2 > rest.size()",
                        "return here * 2 >= rest.size()",
                        "halfIsEnoughOnlyIfTheOtherHalfIsDead"),
                mutant("dead-half-is-waited-for", "|| ended.contains(each)", "|| Boolean.FALSE",
                        "halfIsEnoughOnlyIfTheOtherHalfIsDead"),
                mutant("node-that-has-left-is-missed", "each -> goodbyes.contains(each) &&",
                        "each -> Boolean.FALSE &&",
                        "aRestIsOneBeforeItIsSettledIfItHasTheMajority"),
                mutant("attempt-does-not-count", "isMajority &= attempt.epoch <= before.epoch ||",
                        "isMajority &= Boolean.TRUE ||", "anAttemptCountsUntilALaterViewIsKnown"),
                mutant("first-round-is-the-last", "} else if (all.stream().allMatch(Voice::isAttempt)) {",
                        "} else {",
                        "anAttemptCountsUntilALaterViewIsKnown"),
                mutant("first-view-needs-no-minimum", "members.size() >= minimum", "members.size() >= 0",
                        "theFirstViewHasTheMinimum"),
                mutant("two-views-have-one-epoch",
                        "new Settled(1 + all.stream().mapToLong(Voice::newestBefore).max().orElseThrow(), members)",
                        "new Settled(1 + before.epoch, members)", "noTwoSettledViewsHaveOneEpoch"),
                mutant("view-that-comes-too-late-is-taken",
                        "if (own.isPresent() && number <= own.orElseThrow().number) {",
                        "if (Boolean.FALSE) {",
                        "aViewThatComesTooLateIsIgnored"),
                mutant("word-that-comes-too-late-is-taken",
                        "if (before == null || !before.isOf(voice) || !before.isAttempt || voice.isAttempt) {",
                        "if (Boolean.TRUE) {", "aWordThatComesTooLateChangesNothing"),
                mutant("answer-is-a-question", "send.accept(from, bytes(mine, false))",
                        "send.accept(from, bytes(mine, true))", "anAnswerIsNotAnswered"),
                mutant("attempt-hides-a-lapse",
                        "knownAt.getOrDefault(each, Set.of()).contains(before)", "Boolean.TRUE",
                        "anAttemptThatNobodyHasHeardOfHidesNoLapse"),
                mutant("view-that-is-over-becomes-whole", "if (!view.equals(Optional.of(those))) {",
                        "if (Boolean.FALSE) {", "aViewThatIsOverDoesNotBecomeWhole"),
                mutant("process-that-was-away-goes-on", "back = Optional.of(new HashSet<>(Set.of(self)));",
                        "back = Optional.empty();",
                        "aProcessWithoutWhichOthersHaveGoneOnIsInDoubtUntilItSeesThem"),
                mutant("one-voice-brings-a-process-back", "spoken.size() * 2 > members.size()",
                        "spoken.size() > 1", "aProcessThatWasAwayIsInDoubtUntilMostHaveSpoken"));
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
