package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.actor.Turn;
import io.fibry.internal.mailbox.UnboundedCell;
import io.fibry.internal.scope.Builder;
import io.fibry.time.ManualTime;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who has the turn in a slot, step by step. What runs beside these steps is in the scenario of rescues. */
class LaneSlotTest {
    private final List<Runnable> started = new ArrayList<>();
    private final Lanes lanes = new Lanes(started::add, new ManualTime(), true, YieldingHandoff.INSTANCE, 1);
    private final Lane lane = new Lane(lanes, 0);
    private final ActorScope scope = ActorSystem.open("slot");
    private final List<@Nullable Object> seen = new ArrayList<>();
    private final Turn next = turn(() -> seen.add("next"));

    private Turn turn(Runnable handler) {
        var cell = new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, message) -> {
            handler.run();
            return message;
        });
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
        turn(() -> {
            lane.put(next);
            lane.prepareEnd();
            seen.add(lane.slot());
            seen.add(lane.steal(next));
            lane.cancelEnd();
            seen.add(lane.slot());
            seen.add(lane.steal(next));
            seen.add(lane.slot());
        }).runOn(lane);
        assertThat(seen).containsExactly(null, false, next, true, null);
    }

    @Test
    void whatIsPutBackIsWatchedAgain() {
        turn(() -> {
            lane.put(next);
            lane.prepareEnd();
            lanes.look();
            lanes.look();
            seen.add(lane.place < 0);
            lane.cancelEnd();
            seen.add(lane.place < 0);
            lanes.look();
            lanes.look();
        }).runOn(lane);
        assertThat(seen).as("off the register, and on it").containsExactly(true, false);
        assertThat(started).as("rescued").hasSize(1);
    }

    @Test
    void whatIsPutBackTakesNobodysPlace() {
        var newer = turn(() -> seen.add("newer"));
        turn(() -> {
            lane.put(next);
            lane.prepareEnd();
            lane.put(newer);
            lane.prepareEnd();
            seen.add(lane.slot());
            lane.cancelEnd();
            seen.add(lane.slot());
        }).runOn(lane);
        assertThat(seen).containsExactly(newer, next);
        assertThat(lanes.overflow.take(new Lane(lanes, 0))).isSameAs(newer);
    }

    @Test
    void onlyATurnThatTheLaneGoesOnFromTakesAnythingAhead() {
        turn(() -> {
            lane.put(next);
            lane.adopt();
            try {
                turn(() -> seen.add("on top")).run();
            } finally {
                Runner.leave();
            }
            seen.add(lane.slot());
        }).runOn(lane);
        assertThat(seen).containsExactly("on top", next);
        assertThat(lane.slot()).as("taken by the one below").isNull();
    }

    @Test
    void aTurnOfATaskTakesNothingAhead() {
        lane.adopt();
        try {
            turn(() -> lane.put(next)).run();
        } finally {
            Runner.leave();
        }
        assertThat(lane.slot()).isSameAs(next);
    }

    @Test
    void whatTheMonitorHasTakenAsWellIsRunOnce() {
        lane.put(next);
        assertThat(lane.steal(next)).isTrue();
        assertThat(next.mayBeRunByOthers()).isTrue();
        next.runOn(lane);
        next.runOn(new Lane(lanes, 0));
        assertThat(seen).containsExactly("next");
    }
}
