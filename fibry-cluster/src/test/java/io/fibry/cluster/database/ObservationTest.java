package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.cluster.database.ClusterSession.Pulse;
import io.fibry.cluster.database.ClusterSession.State;
import io.fibry.cluster.database.Observation.Seen;
import io.fibry.testing.Promise;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ObservationTest {
    private static final UUID SELF = new UUID(0, 1);
    private static final UUID OTHER = new UUID(0, 2);
    private static final long LEASE = 100;

    private final Observation observation = new Observation(SELF);

    private static Map<UUID, Pulse> beats(long own, long other) {
        return Map.of(SELF, new Pulse(own, State.MEMBER, 1, Set.of(), LEASE / 2), OTHER,
                new Pulse(other, State.MEMBER, 2, Set.of(), LEASE));
    }

    @Promise("92.1")
    @Test
    void whoseBeatIsTheSameForItsLeaseIsLost() {
        assertThat(observation.see(beats(1, 1), 1000)).isEmpty();
        assertThat(observation.see(beats(2, 1), 1099)).isEmpty();
        assertThat(observation.see(beats(3, 1), 1100)).containsExactly(new Seen(OTHER, 1, 1000));
        // It has beaten after all, and a lease begins anew.
        assertThat(observation.see(beats(4, 2), 1101)).isEmpty();
        assertThat(observation.see(beats(5, 2), 1200)).isEmpty();
        assertThat(observation.see(beats(6, 2), 1201)).containsExactly(new Seen(OTHER, 2, 1101));
    }

    @Test
    void nobodyTakesItselfForLost() {
        assertThat(observation.see(beats(1, 1), 1000)).isEmpty();
        assertThat(observation.see(beats(1, 2), 1100)).isEmpty();
    }

    @Test
    void whoWasAwayOrIsForgottenIsSeenAnew() {
        assertThat(observation.see(beats(1, 1), 1000)).isEmpty();
        assertThat(observation.see(Map.of(), 1050)).isEmpty();
        assertThat(observation.see(beats(2, 1), 1100)).isEmpty();
        observation.forget();
        assertThat(observation.see(beats(3, 1), 1200)).isEmpty();
    }
}
