package io.fibry.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.stream.Inbound.Arrival;
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
            out.add(item, item.length());
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
        assertThat(out.bytes()).isZero();
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
    void aVerdictThatComesLateKeepsThoseBehindItBack() {
        in.open(1);
        in.arrive(1, 1);
        in.arrive(1, 2);
        in.settle(1, 2, Verdict.TAKEN);
        assertThat(((StreamFrame.Verdicts) in.owed()).verdicts()).isEmpty();
        in.settle(1, 1, Verdict.FULL);
        assertThat(((StreamFrame.Verdicts) in.owed()).verdicts()).containsExactly(Verdict.FULL,
                Verdict.TAKEN);
    }
}
