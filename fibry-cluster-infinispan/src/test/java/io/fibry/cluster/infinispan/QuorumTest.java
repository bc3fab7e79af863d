package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Promise;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The decisions of members without a network. The test delivers their messages when it chooses to. */
class QuorumTest {
    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);
    private static final UUID D = new UUID(0, 4);

    private final Map<UUID, Quorum> members = new LinkedHashMap<>();
    private final Queue<Word> onTheWay = new ArrayDeque<>();
    private final Set<UUID> lost = new HashSet<>();
    private long number;

    private record Word(UUID from, UUID to, ByteBuffer bytes) {}

    private Quorum member(UUID id, int minimum) {
        var made = new Quorum(id, minimum,
                (to, bytes) -> onTheWay.add(new Word(id, to, ByteBuffer.wrap(bytes.array().clone()))));
        members.put(id, made);
        return made;
    }

    /** The next view, at those who are in it. */
    private void view(UUID... now) {
        number++;
        for (var each : now) {
            members.get(each).viewChanged(now[0], number, new HashSet<>(Arrays.asList(now)));
        }
    }

    private void deliver() {
        while (!onTheWay.isEmpty()) {
            var word = onTheWay.remove();
            if (!lost.contains(word.from) && !lost.contains(word.to)) {
                members.get(word.to).heard(word.from, word.bytes);
            }
        }
    }

    /** Delivers all, and makes the views whole that are settled then. */
    private void deliverUntilWhole() {
        deliver();
        members.values().forEach(each -> each.settledView().filter(this::isSettledEverywhere)
                .ifPresent(view -> assertThat(each.whole(view)).isTrue()));
    }

    private boolean isSettledEverywhere(Quorum.SettledView view) {
        return view.members().stream().allMatch(each -> members.get(each).settledView()
                .filter(other -> other.epoch() == view.epoch()).isPresent());
    }

    private boolean isSettled(UUID... all) {
        return Arrays.stream(all).allMatch(each -> members.get(each).settled().isDone());
    }

    private void three() {
        for (var each : new UUID[]{A, B, C}) {
            member(each, 2);
        }
        view(A, B, C);
        deliverUntilWhole();
        assertThat(isSettled(A, B, C)).isTrue();
    }

    @Promise("83.20")
    @Test
    void aProcessThatWasAwayIsInDoubtUntilMostHaveSpoken() {
        for (var each : new UUID[]{A, B, C, D}) {
            member(each, 2);
        }
        view(A, B, C, D);
        deliverUntilWhole();
        var a = members.get(A);
        a.wasAway();
        assertThat(a.isInDoubt()).isTrue();
        assertThat(isSettled(A)).as("the view is the same").isTrue();
        var words = new ArrayList<>(onTheWay);
        onTheWay.clear();
        onTheWay.add(words.getFirst());
        deliver();
        assertThat(a.isInDoubt()).as("two of four have spoken").isTrue();
        a.sayAgain();
        deliver();
        assertThat(a.isInDoubt()).isFalse();
        assertThat(isSettled(A, B, C, D)).isTrue();
        assertThat(members.values()).extracting(each -> each.settledView().orElseThrow().epoch())
                .containsOnly(members.get(B).settledView().orElseThrow().epoch());
    }

    @Promise("83.20")
    @Test
    void aProcessWithoutWhichOthersHaveGoneOnIsInDoubtUntilItSeesThem() {
        three();
        lost.add(A);
        view(B, C);
        deliverUntilWhole();
        assertThat(isSettled(B, C)).isTrue();
        lost.clear();
        var a = members.get(A);
        assertThat(isSettled(A)).as("it has not heard of that").isTrue();
        a.wasAway();
        deliver();
        a.sayAgain();
        deliver();
        assertThat(a.isInDoubt()).isTrue();
        view(A, B, C);
        deliverUntilWhole();
        assertThat(a.isInDoubt()).isFalse();
        assertThat(isSettled(A, B, C)).isTrue();
    }

    @Promise("83.15")
    @Test
    void theMajorityGoesOnAndTheRestDoesNot() {
        three();
        view(A);
        view(B, C);
        deliver();
        assertThat(isSettled(B, C)).isTrue();
        assertThat(isSettled(A)).isFalse();
        assertThat(members.get(A).isMinority()).isTrue();
        view(A, B, C);
        deliver();
        assertThat(isSettled(A, B, C)).isTrue();
    }

    @Test
    void aRestIsOneBeforeItIsSettledIfItHasTheMajority() {
        three();
        view(A, B);
        assertThat(isSettled(A, B)).isFalse();
        assertThat(members.get(A).isLikelyRest()).isTrue();
        view(A);
        assertThat(members.get(A).isLikelyRest()).isFalse();
        members.get(A).saidGoodbye(B);
        members.get(A).saidGoodbye(C);
        assertThat(members.get(A).isLikelyRest()).isTrue();
        deliver();
        assertThat(isSettled(A)).isTrue();
        assertThat(members.get(A).isLikelyRest()).isTrue();
        member(D, 2);
        view(A, D);
        assertThat(members.get(A).isLikelyRest()).isFalse();
        deliver();
        assertThat(isSettled(A, D)).isTrue();
        assertThat(members.get(A).isLikelyRest()).isFalse();
    }

    /** One of three has died, and the second leaves before the rest of two was whole. */
    @Promise("83.15")
    @Test
    void whoHasLeftIsNotMissing() {
        three();
        view(A, B);
        deliver();
        members.get(A).saidGoodbye(B);
        view(A);
        deliver();
        assertThat(isSettled(A)).isFalse();
        assertThat(members.get(A).missingHalves()).containsExactly(C);
        assertThat(members.get(A).died(Set.of(C))).isTrue();
        assertThat(isSettled(A)).isTrue();
    }

    @Test
    void whatIsLeftOfAMajorityStillNeedsTheMajorityOfIt() {
        three();
        view(B, C);
        deliverUntilWhole();
        view(C);
        deliver();
        assertThat(isSettled(C)).isFalse();
    }

    /** The second round of {B, C} did not reach C, so B alone may have settled it. */
    @Test
    void anAttemptCountsUntilALaterViewIsKnown() {
        three();
        view(B, C);
        while (!isSettled(B) && !isSettled(C)) {
            var word = onTheWay.remove();
            members.get(word.to).heard(word.from, word.bytes);
        }
        onTheWay.clear();
        var other = isSettled(B) ? C : B;
        view(A, other);
        deliver();
        assertThat(isSettled(other)).isFalse();
        assertThat(isSettled(A)).isFalse();
    }

    @Promise("83.15")
    @Test
    void halfIsEnoughOnlyIfTheOtherHalfIsDead() {
        member(A, 2);
        member(B, 2);
        view(A, B);
        deliverUntilWhole();
        view(A);
        deliver();
        assertThat(isSettled(A)).isFalse();
        assertThat(members.get(A).missingHalves()).containsExactly(B);
        members.get(A).died(Set.of(B));
        assertThat(isSettled(A)).isTrue();
    }

    @Test
    void whatWasMissedIsSaidAgain() {
        for (var each : new UUID[]{A, B, C}) {
            member(each, 2);
        }
        view(A, B, C);
        onTheWay.clear();
        members.get(A).sayAgain();
        deliver();
        members.get(B).sayAgain();
        deliver();
        members.get(C).sayAgain();
        deliver();
        assertThat(isSettled(A, B, C)).isTrue();
    }

    /** Words may overtake one another: what a member says last comes first here. */
    @Test
    void aWordThatComesTooLateChangesNothing() {
        for (var each : new UUID[]{A, B, C}) {
            member(each, 2);
        }
        view(A, B, C);
        var held = new ArrayList<Word>();
        while (!onTheWay.isEmpty()) {
            var word = onTheWay.remove();
            if (word.to.equals(A)) {
                held.add(word);
            } else {
                members.get(word.to).heard(word.from, word.bytes);
            }
        }
        for (var from : new UUID[]{B, C}) {
            held.reversed().stream().filter(word -> word.from.equals(from))
                    .forEach(word -> members.get(A).heard(from, word.bytes));
        }
        deliver();
        assertThat(isSettled(A, B, C)).isTrue();
    }

    @Promise("83.15")
    @Test
    void theFirstViewHasTheMinimum() {
        for (var each : new UUID[]{A, B, C}) {
            member(each, 2);
        }
        view(A);
        deliver();
        assertThat(isSettled(A)).isFalse();
        view(A, B);
        deliver();
        assertThat(isSettled(A, B)).isTrue();
    }

    /** A channel that is opened while two parts meet is told its first view after the second one. */
    @Test
    void aViewThatComesTooLateIsIgnored() {
        member(A, 2);
        member(B, 2);
        view(A, B);
        members.get(B).viewChanged(B, 0, Set.of(B));
        deliver();
        assertThat(isSettled(A, B)).isTrue();
        members.get(B).viewChanged(B, 0, Set.of(B));
        assertThat(isSettled(B)).isTrue();
    }

    @Test
    void theNumbersOfSettledViewsRiseAndAreTheSameAtAllMembers() {
        three();
        var first = members.get(A).settledView().orElseThrow();
        assertThat(members.values()).allMatch(each -> each.settledView().orElseThrow().equals(first));
        view(B, C);
        assertThat(members.get(B).settledView()).isEmpty();
        deliver();
        var second = members.get(C).settledView().orElseThrow();
        assertThat(second.number()).isGreaterThan(first.number());
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(second.absences()).isEqualTo(first.absences());
        assertThat(members.get(B).settledView()).contains(second);
    }

    /** It was frozen, for example, and has installed no view of its own meanwhile. */
    @Test
    void aMemberThatOthersHaveGoneOnWithoutKnowsItWhenItIsBack() {
        three();
        var before = members.get(A).settledView().orElseThrow();
        view(B, C);
        deliverUntilWhole();
        view(A, B, C);
        deliver();
        assertThat(members.get(A).isLapsed()).isTrue();
        assertThat(members.get(B).isLapsed()).isFalse();
        assertThat(members.get(A).settledView().orElseThrow().absences()).isEqualTo(before.absences() + 1);
        assertThat(members.get(B).settledView().orElseThrow().absences()).isEqualTo(before.absences());
    }

    /** Any of {B, C} may have taken it for whole, and have acknowledged changes. */
    @Test
    void aViewThatWasSettledNeedsItsMajorityUntilALaterOneIsWhole() {
        three();
        view(B, C);
        deliver();
        view(A, B);
        deliver();
        assertThat(isSettled(A)).isFalse();
        view(A, B, C);
        deliver();
        assertThat(isSettled(A, B, C)).isTrue();
        assertThat(members.get(A).isLapsed()).as("nobody has taken a later view for whole").isFalse();
    }

    /** Two nodes on one machine: the second one dies before the view with it was whole. */
    @Test
    void theMissingHalfOfAViewThatWasNotWholeIsKnown() {
        member(A, 1);
        member(B, 1);
        view(A);
        deliverUntilWhole();
        view(A, B);
        deliver();
        view(A);
        deliver();
        assertThat(isSettled(A)).isFalse();
        assertThat(members.get(A).missingHalves()).containsExactly(B);
        assertThat(members.get(A).died(Set.of(B))).isTrue();
        assertThat(members.get(A).died(Set.of(B))).isFalse();
        assertThat(isSettled(A)).isTrue();
    }

    /** So that nothing is written in two views with one epoch. */
    @Test
    void noTwoSettledViewsHaveOneEpoch() {
        three();
        var epochs = new HashSet<Long>();
        epochs.add(members.get(B).settledView().orElseThrow().epoch());
        for (var i = 0; i < 10; i++) {
            view(B, C);
            deliver();
            assertThat(epochs.add(members.get(C).settledView().orElseThrow().epoch())).isTrue();
            view(A, B, C);
            deliver();
            assertThat(epochs.add(members.get(A).settledView().orElseThrow().epoch())).isTrue();
        }
    }

    @Test
    void aViewThatIsOverDoesNotBecomeWhole() {
        three();
        var first = members.get(B).settledView().orElseThrow();
        view(B, C);
        assertThat(members.get(B).whole(first)).isFalse();
    }

    /** Otherwise two that wait for a third one would tell each other the same for ever. */
    @Test
    void anAnswerIsNotAnswered() {
        for (var each : new UUID[]{A, B, C}) {
            member(each, 3);
        }
        lost.add(C);
        view(A, B, C);
        deliver();
        members.get(A).sayAgain();
        members.get(B).sayAgain();
        var words = 0;
        while (!onTheWay.isEmpty() && words < 100) {
            var word = onTheWay.remove();
            words++;
            if (!word.to.equals(C)) {
                members.get(word.to).heard(word.from, word.bytes);
            }
        }
        assertThat(words).as("two questions to two members each, and an answer of the one that is there")
                .isEqualTo(6);
    }

    /** A newcomer has nothing to remember until it has taken part in a view that somebody takes for whole. */
    @Test
    void aLapseLastsUntilThereIsAWholeView() {
        three();
        member(D, 2);
        view(A, B, C, D);
        deliver();
        assertThat(members.get(D).isLapsed()).isTrue();
        view(A, B, D);
        deliver();
        assertThat(members.get(D).isLapsed()).as("nobody took a view with it for whole").isTrue();
        var second = members.get(A).settledView().orElseThrow();
        assertThat(members.get(A).whole(second)).isTrue();
        view(A, B, C, D);
        deliver();
        assertThat(members.get(D).isLapsed()).as("one has taken a view with it for whole").isFalse();
        assertThat(members.get(C).isLapsed()).as("which was without this one").isTrue();
    }

    @Test
    void aLapseEndsWithAWholeView() {
        three();
        view(B, C);
        deliverUntilWhole();
        view(A, B, C);
        deliver();
        assertThat(members.get(A).isLapsed()).isTrue();
        deliverUntilWhole();
        assertThat(members.get(A).isLapsed()).isFalse();
    }

    /** It hears the others and is not heard, as when it was frozen, and has the word of several views to read. Then they go on without it. */
    @Test
    void anAttemptThatNobodyHasHeardOfHidesNoLapse() {
        three();
        for (var i = 0; i < 2; i++) {
            view(A, B, C);
            while (!onTheWay.isEmpty()) {
                var word = onTheWay.remove();
                if (!word.from.equals(C)) {
                    members.get(word.to).heard(word.from, word.bytes);
                }
            }
        }
        view(A, B);
        deliverUntilWhole();
        assertThat(isSettled(A, B)).isTrue();
        view(A, B, C);
        deliver();
        assertThat(isSettled(A, B, C)).isTrue();
        assertThat(members.get(C).isLapsed()).isTrue();
        assertThat(members.get(A).isLapsed()).isFalse();
    }
}
