package io.fibry.cluster.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.infinispan.Reconciliation.Round;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RoundCheckTest {
    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final Round ROUND = new Round(3, 12);

    private final Queue<ByteBuffer> toB = new ArrayDeque<>();
    private final Queue<ByteBuffer> toA = new ArrayDeque<>();
    private Optional<Round> ofA = Optional.of(ROUND);
    private Optional<Round> ofB = Optional.of(ROUND);
    private final RoundCheck a = new RoundCheck(A, () -> ofA, round -> ofA.equals(Optional.of(round)),
            (to, bytes) -> toB.add(bytes));
    private final RoundCheck b = new RoundCheck(B, Optional::empty, round -> ofB.equals(Optional.of(round)),
            (to, bytes) -> toA.add(bytes));

    private void answer() {
        b.heard(A, toB.remove());
        a.heard(B, toA.remove());
    }

    @Test
    void aRoundThatLastsAtBothLasts() {
        var asked = a.isLasting(B, ROUND);
        assertThat(asked).isNotDone();
        answer();
        assertThat(asked).isCompletedWithValue(true);
        assertThat(a.isLasting(A, ROUND)).isCompletedWithValue(true);
        assertThat(toB).isEmpty();
    }

    @Test
    void aRoundThatIsOverAtTheOtherMemberOrIsAnotherOneDoesNot() {
        ofB = Optional.empty();
        var first = a.isLasting(B, ROUND);
        answer();
        assertThat(first).isCompletedWithValue(false);
        ofB = Optional.of(new Round(3, 13));
        var second = a.isLasting(B, ROUND);
        answer();
        assertThat(second).isCompletedWithValue(false);
    }

    @Test
    void aRoundThatIsOverHereWhenTheAnswerComesDoesNot() {
        var asked = a.isLasting(B, ROUND);
        ofA = Optional.empty();
        answer();
        assertThat(asked).isCompletedWithValue(false);
        assertThat(a.isLasting(A, ROUND)).isCompletedWithValue(false);
        assertThat(a.isLasting(B, ROUND)).isCompletedWithValue(false);
    }

    @Test
    void nobodyWaitsForAMemberThatIsGone() {
        var asked = a.isLasting(B, ROUND);
        a.viewChanged();
        assertThat(asked).isCompletedWithValue(false);
        answer();
        assertThat(asked).isCompletedWithValue(false);
    }
}
