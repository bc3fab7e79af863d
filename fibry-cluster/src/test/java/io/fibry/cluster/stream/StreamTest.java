package io.fibry.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.stream.Inbound.Arrival;
import io.fibry.cluster.stream.StreamFrame.Run;
import io.fibry.testing.Promise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StreamTest {
    private final Outbound<String> out = new Outbound<>(1);
    private final Inbound in = new Inbound();
    private final List<String> passed = new ArrayList<>();

    private void add(String... items) {
        for (var item : items) {
            out.add(item);
        }
    }

    private StreamFrame.Items next(long now) {
        return out.next(now, item -> item.getBytes(StandardCharsets.UTF_8));
    }

    private void arrive(StreamFrame.Items frame, Verdict verdict) {
        in.open(frame.epoch());
        var number = frame.first();
        for (var item : frame.items()) {
            if (in.arrive(frame.epoch(), number) == Arrival.NEXT) {
                passed.add(new String(item, StandardCharsets.UTF_8));
                in.settle(frame.epoch(), number, verdict);
            }
            number++;
        }
        in.confirm(frame.epoch(), frame.confirmed());
    }

    @Test
    void itemsPassOnceAndInOrder() {
        add("a");
        var first = next(0);
        add("b", "c");
        var second = next(0);
        arrive(second, Verdict.TAKEN); // too early
        arrive(first, Verdict.TAKEN);
        arrive(first, Verdict.TAKEN);
        arrive(second, Verdict.RETURNED);
        assertThat(passed).containsExactly("a", "b", "c");
        assertThat(out.settle((StreamFrame.Verdicts) in.owed(), 0)).extracting(Outbound.Settled::verdict)
                .containsExactly(Verdict.TAKEN, Verdict.RETURNED, Verdict.RETURNED);
        assertThat(out.isBusy()).isFalse();
    }

    @Test
    void whatHasNoVerdictIsRepeatedAfterAWhile() {
        add("a", "b");
        next(0);
        assertThat(next(0)).isNull();
        out.repeat(1);
        assertThat(next(1)).isNull();
        out.repeat(1_000_000_000);
        assertThat(next(1_000_000_000).items()).hasSize(2);
    }

    @Test
    void verdictsAreRepeatedUntilTheSenderConfirmsThem() {
        add("a");
        arrive(next(0), Verdict.TAKEN);
        in.owed(); // lost on the way
        assertThat(in.isTakenKnown()).isFalse();
        out.settle((StreamFrame.Verdicts) in.owed(), 0);
        assertThat(in.isTakenKnown()).isFalse();
        out.settle((StreamFrame.Verdicts) in.owed(), 0); // nothing new: the sender confirms
        arrive(next(0), Verdict.TAKEN);
        assertThat(in.isTakenKnown()).isTrue();
    }

    @Test
    void ofARetiredStreamNothingPassesAndTheSenderLearnsIt() {
        add("a");
        var old = next(0);
        in.open(1);
        in.retire();
        assertThat(in.arrive(old.epoch(), old.first())).isEqualTo(Arrival.RETIRED);
        add("b");
        var left = out.retire();
        assertThat(left.uncertain()).containsExactly("a");
        assertThat(left.notSent()).containsExactly("b");
        add("c");
        arrive(next(0), Verdict.TAKEN);
        assertThat(in.arrive(old.epoch(), old.first())).isEqualTo(Arrival.RETIRED);
        assertThat(passed).containsExactly("c");
    }

    /** Otherwise the receiver waits for ever to learn that the sender knows of the retirement. */
    @Test
    void aVerdictOfARetiredStreamDoesNotHideTheNextOne() {
        add("a");
        arrive(next(0), Verdict.TAKEN);
        var late = (StreamFrame.Verdicts) in.owed();
        in.retire();
        out.retire();
        assertThat(in.isTakenKnown()).isFalse();
        assertThat(out.settle(late, 0)).isEmpty();
        arrive(next(0), Verdict.TAKEN);
        assertThat(in.isTakenKnown()).isTrue();
    }

    /** The frame that tells it may come to a node that does not see its sender yet, and is left out there. */
    @Test
    void anEpochIsShownAgain() {
        add("a");
        arrive(next(0), Verdict.TAKEN);
        in.retire();
        out.retire();
        assertThat(next(0)).isNotNull(); // lost on the way
        assertThat(next(0)).isNull();
        assertThat(in.isTakenKnown()).isFalse();
        assertThat(in.owed()).isEqualTo(new StreamFrame.Retired(1));
        out.showEpoch();
        arrive(next(0), Verdict.TAKEN);
        assertThat(in.isTakenKnown()).isTrue();
    }

    @Test
    @Promise("82.9")
    void aVerdictThatComesLateHoldsUpNoOther() {
        in.open(1);
        in.arrive(1, 1);
        in.arrive(1, 2);
        in.settle(1, 2, Verdict.TAKEN);
        in.settle(1, 2, Verdict.FULL);
        assertThat(in.owed())
                .isEqualTo(new StreamFrame.Verdicts(1, 2, 0, List.of(new Run(Verdict.TAKEN, 2, 1))));
        assertThat(in.isTakenKnown()).isFalse();
        in.settle(1, 1, Verdict.FULL);
        assertThat(in.owed()).isEqualTo(new StreamFrame.Verdicts(1, 2, 0,
                List.of(new Run(Verdict.TAKEN, 2, 1), new Run(Verdict.FULL, 1, 1))));
        in.confirm(1, 2);
        assertThat(in.isTakenKnown()).isTrue();
    }

    /** Sends an item that gets no verdict. */
    private void stick() {
        add("stuck");
        in.open(1);
        assertThat(in.arrive(1, next(0).first())).isEqualTo(Arrival.NEXT);
    }

    @Test
    @Promise("82.9")
    void aMillionItemsPassOneThatHasNoVerdict() {
        stick();
        for (int n = 0; n < 10_000; n++) {
            for (int item = 0; item < 100; item++) {
                add("a");
            }
            arrive(next(0), Verdict.TAKEN);
            var verdicts = (StreamFrame.Verdicts) in.owed();
            assertThat(verdicts.verdicts()).as("frames do not grow").hasSize(1);
            assertThat(out.settle(verdicts, 0)).hasSize(100);
        }
        assertThat(passed).hasSize(1_000_000);
        in.settle(1, 1, Verdict.FULL);
        assertThat(out.settle((StreamFrame.Verdicts) in.owed(), 0))
                .containsExactly(new Outbound.Settled<>("stuck", Verdict.FULL));
        assertThat(out.isBusy()).isFalse();
    }

    /** It is in a mailbox that is full, or waits for it. Its bytes go again once in a while, since verdicts may be lost. */
    @Test
    void whatHasArrivedIsNotRepeatedButAskedFor() {
        stick();
        add("a", "b");
        arrive(next(0), Verdict.TAKEN);
        assertThat(out.settle((StreamFrame.Verdicts) in.owed(), 0)).hasSize(2);
        in.settle(1, 1, Verdict.TAKEN);
        in.owed(); // lost on the way
        out.repeat(1_000_000_000);
        assertThat(out.hasNext()).isTrue();
        var again = next(1_000_000_000);
        assertThat(again.first()).isEqualTo(1);
        assertThat(again.items()).hasSize(1);
        assertThat(next(1_000_000_000)).isNull();
        arrive(again, Verdict.FULL);
        assertThat(out.settle((StreamFrame.Verdicts) in.owed(), 0))
                .containsExactly(new Outbound.Settled<>("stuck", Verdict.TAKEN));
    }

    @Test
    @Promise("82.9")
    void aStreamWaitsWhenTooManyItemsHaveNoVerdict() {
        in.open(1);
        var number = 0L;
        for (int n = 0; n < Outbound.MOST_UNDECIDED + 10; n++) {
            add("a");
        }
        for (var frame = next(0); frame != null; frame = next(0)) {
            for (int n = 0; n < frame.items().size(); n++) {
                assertThat(in.arrive(1, ++number)).isEqualTo(Arrival.NEXT);
            }
            assertThat(out.settle((StreamFrame.Verdicts) in.owed(), 0)).isEmpty();
        }
        assertThat(number).isEqualTo(Outbound.MOST_UNDECIDED);
        for (long settled = 1; settled <= number; settled++) {
            in.settle(1, settled, settled % 2 == 0 ? Verdict.TAKEN : Verdict.FULL);
        }
        var count = 0;
        for (var owed = in.owed(); owed != null; owed = in.owed()) {
            assertThat(((StreamFrame.Verdicts) owed).verdicts()).hasSizeLessThanOrEqualTo(4096);
            count += out.settle((StreamFrame.Verdicts) owed, 0).size();
            var frame = next(0);
            assertThat(frame).as("a frame with as many verdicts as fit is confirmed at once").isNotNull();
            in.confirm(1, frame.confirmed());
        }
        assertThat(count).isEqualTo(Outbound.MOST_UNDECIDED);
    }

    @Test
    void whatHasArrivedWithoutAVerdictIsUncertainBeforeAllElse() {
        stick();
        add("a", "b");
        arrive(next(0), Verdict.TAKEN);
        assertThat(out.settle((StreamFrame.Verdicts) in.owed(), 0)).hasSize(2);
        add("c");
        next(0);
        add("d");
        var left = out.retire();
        assertThat(left.uncertain()).containsExactly("stuck", "c");
        assertThat(left.notSent()).containsExactly("d");
        assertThat(out.isBusy()).isFalse();
    }

    @Test
    void verdictsOnWhatWasNeverSentAreLeftOut() {
        stick();
        assertThat(out.settle(new StreamFrame.Verdicts(1, 2, 0, List.of(new Run(Verdict.TAKEN, 1, 2))), 0))
                .isEmpty();
        assertThat(out.settle(new StreamFrame.Verdicts(1, 1, 3, List.of(new Run(Verdict.TAKEN, 1, 1))), 0))
                .isEmpty();
        assertThat(out.isBusy()).isTrue();
    }
}
