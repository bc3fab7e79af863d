package io.fibry.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The experiments about messages and actors. */
class SmokeTest extends Smoke {
    @Override
    List<String> names() {
        return ofMessages();
    }

    @Test
    void anIdleActorTakesTensOfBytesAndAThreadThousands() throws Exception {
        var bytes = medians("idle-bytes");

        assertThat(bytes.get(IdleActor.SINK.subject)).isBetween(24.0, 100.0);
        assertThat(bytes.get(IdleActor.USED.subject)).isBetween(24.0, 100.0);
        assertThat(bytes.get(IdleActor.BY_HAND.subject)).isBetween(500.0, 5_000.0);
    }
}
