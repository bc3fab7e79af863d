package io.fibry.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.internal.Placement.Fairness;
import io.fibry.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who has the turn in a slot, step by step. What runs beside these steps is in the scenario of rescues. */
class LaneSlotTest {
    private final List<Runnable> started = new ArrayList<>();
    private final Lanes lanes = new Lanes(started::add, new ManualTime(), true, Fairness.YIELDS, 1);
    private final Lane lane = Lane.helper(lanes, 0, 0);
    private final ActorScope scope = ActorScope.open("slot");
    private final AtomicInteger handled = new AtomicInteger();
    private final Turn ending = turn();
    private final Turn next = turn();

    private Turn turn() {
        var cell = new UnboundedCell<>(((Builder) scope.anonymous()).spec(),
                (turn, message) -> handled.incrementAndGet());
        var node = new MessageNode("hello");
        assertThat(cell.offer(node)).isEqualTo(Mailbox.Offer.WAKE);
        return new Turn(cell, node);
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void aTurnThatMayEndTakesWhatIsNextOutOfTheMonitorsSight() {
        lane.put(next);
        lane.turn = ending;
        lane.turnMayEnd();
        assertThat(lane.slot()).isNull();
        assertThat(lane.steal(next)).isFalse();
        lane.turnGoesOn();
        assertThat(lane.slot()).isSameAs(next);
        assertThat(lane.steal(next)).isTrue();
        assertThat(lane.slot()).isNull();
    }

    @Test
    void whatIsPutBackIsWatchedAgain() {
        lane.put(next);
        lane.turn = ending;
        lane.turnMayEnd();
        lanes.look();
        lanes.look();
        assertThat(lane.place).as("it did not move: taken off the register").isNegative();
        lane.turnGoesOn();
        assertThat(lane.place).isNotNegative();
        lanes.look();
        lanes.look();
        assertThat(started).hasSize(1);
        assertThat(lane.slot()).as("rescued").isNull();
    }

    @Test
    void aTurnOnTopOfAnotherLeavesWhatIsNextWhereItIs() {
        lane.put(next);
        ending.outer = turn();
        lane.turn = ending;
        lane.turnMayEnd();
        assertThat(lane.slot()).isSameAs(next);
    }

    @Test
    void whatTheMonitorHasTakenAsWellIsRunOnce() {
        lane.put(next);
        assertThat(lane.steal(next)).isTrue();
        assertThat(next.mayBeRunByOthers()).isTrue();
        next.runOn(lane);
        next.runOn(Lane.helper(lanes, 0, 0));
        assertThat(handled).hasValue(1);
    }
}
