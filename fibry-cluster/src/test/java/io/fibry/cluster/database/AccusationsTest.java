package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.database.ClusterSession.Pulse;
import io.fibry.cluster.database.ClusterSession.State;
import io.fibry.testing.Promise;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class AccusationsTest {
    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);
    private static final long LEASE = 100;
    private static final Map<UUID, Long> ALL = Map.of(A, LEASE, B, LEASE, C, LEASE);
    private static final long PAUSE = 30;

    private final Accusations accusations = new Accusations(A, LEASE, PAUSE, 0);
    private final Map<UUID, Pulse> members = new HashMap<>();

    /** The row of a node, which has joined as its number says. */
    private void row(UUID node, State state, UUID... accused) {
        members.put(node, new Pulse(1, state, node.getLeastSignificantBits(), Set.of(accused), 1));
    }

    private void rows() {
        row(A, State.MEMBER);
        row(B, State.MEMBER);
        row(C, State.MEMBER);
    }

    @Promise("92.4")
    @Test
    void whoIsNotHeardForALeaseIsAccused() {
        for (int now = 0; now < 100; now += 20) {
            accusations.hear(B, now);
            assertThat(accusations.mine(ALL, now)).isEmpty();
        }
        assertThat(accusations.mine(ALL, 100)).containsExactly(C);
        accusations.hear(C, 110);
        assertThat(accusations.mine(ALL, 110)).isEmpty();
    }

    /** Its beats have longer pauses. */
    @Promise("92.4")
    @Test
    void whoHasALongerLeaseIsHeardLessOften() {
        var leases = Map.of(A, LEASE, B, 3 * LEASE);
        for (int now = 0; now < 300; now += 20) {
            assertThat(accusations.mine(leases, now)).isEmpty();
        }
        assertThat(accusations.mine(leases, 300)).containsExactly(B);
    }

    @Test
    void aProcessThatWasAwayAccusesNobody() {
        assertThat(accusations.mine(ALL, 0)).isEmpty();
        assertThat(accusations.mine(ALL, 1000)).isEmpty();
        for (int now = 1020; now < 1100; now += 20) {
            assertThat(accusations.mine(ALL, now)).isEmpty();
        }
        assertThat(accusations.mine(ALL, 1100)).containsExactlyInAnyOrder(B, C);
    }

    /** Both of a pair name each other, or one of them does: that makes no difference. */
    @Promise("92.4")
    @Test
    void theYoungerOfAPairHasToGoWhenThePairsAreTheSameForAPause() {
        rows();
        row(A, State.MEMBER, B);
        assertThat(accusations.judge(members, 0)).isEmpty();
        row(B, State.MEMBER, A);
        assertThat(accusations.judge(members, PAUSE - 1)).isEmpty();
        assertThat(accusations.judge(members, PAUSE)).contains(B);
    }

    @Promise("92.4")
    @Test
    void whoHasMostPairsGoesAlsoIfItIsOlder() {
        rows();
        row(A, State.MEMBER, B, C);
        assertThat(accusations.judge(members, 0)).isEmpty();
        assertThat(accusations.judge(members, PAUSE)).contains(A);
    }

    @Test
    void pairsThatChangeAreNotJudged() {
        rows();
        row(C, State.MEMBER, A);
        assertThat(accusations.judge(members, 0)).isEmpty();
        row(C, State.MEMBER, A, B);
        assertThat(accusations.judge(members, PAUSE)).isEmpty();
        row(C, State.MEMBER);
        assertThat(accusations.judge(members, 2 * PAUSE)).isEmpty();
        assertThat(accusations.judge(members, 3 * PAUSE)).isEmpty();
    }

    /** The one that ends already settles its pairs; so does one that is no member any more. */
    @Test
    void whoEndsIsInNoPair() {
        rows();
        row(A, State.MEMBER, B, new UUID(0, 9));
        row(B, State.ENDING, A);
        assertThat(accusations.judge(members, 0)).isEmpty();
        assertThat(accusations.judge(members, PAUSE)).isEmpty();
    }
}
