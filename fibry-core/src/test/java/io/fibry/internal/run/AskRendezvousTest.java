package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.UnboundedCell;
import io.fibry.internal.scope.Builder;
import io.fibry.testing.Patience;
import java.util.ArrayList;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One rendezvous and the lanes that come to it. */
class AskRendezvousTest {
    private final ActorScope scope = ActorSystem.open("rendezvous");
    private final AskRendezvous rendezvous = new AskRendezvous();

    private Turn turn() {
        var cell = new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, message) -> message);
        return new Turn(cell, new MessageNode("hello"));
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void whereNobodyIsNothingCanBeLeft() {
        assertThat(rendezvous.offer(turn())).isFalse();
        assertThat(rendezvous.await()).isNull();
        assertThat(rendezvous.offer(turn())).as("the lane has gone").isFalse();
    }

    @Test
    void aLaneGetsEachTurnThatWasLeft() throws Exception {
        var over = new AtomicBoolean();
        var lane = new FutureTask<>(() -> {
            var got = new ArrayList<Job>();
            while (!over.get()) {
                var turn = rendezvous.await();
                if (turn != null) {
                    got.add(turn);
                }
            }
            return got;
        });
        Thread.ofPlatform().start(lane);
        var left = new ArrayList<Job>();
        try {
            for (int i = 0; i < 10; i++) {
                var turn = turn();
                Patience.spin("a lane that is there", () -> rendezvous.offer(turn));
                left.add(turn);
            }
        } finally {
            over.set(true);
        }
        assertThat(lane.get()).isEqualTo(left);
    }
}
