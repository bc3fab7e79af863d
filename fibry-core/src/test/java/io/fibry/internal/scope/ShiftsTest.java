package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.run.Lane;
import io.fibry.internal.run.Lanes;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.YieldingHandoff;
import io.fibry.time.ManualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pieces of work on a lane that the test runs, which no monitor looks at. */
class ShiftsTest {
    private final ActorScope scope = ActorSystem.open("shifts");
    private final Shifts shifts = new Shifts(Builder.of(scope.anonymous()));
    private final Queue<Runnable> started = new ArrayDeque<>();
    private final Lanes lanes = new Lanes(started::add, new ManualTime(), true, YieldingHandoff.INSTANCE, 1);

    private record On(Placement placement) implements Placement.Known {
    }

    @AfterEach
    void close() {
        scope.close();
    }

    @Test
    void whatAPieceHasSentToIsNotKeptWaitingForTheNextPiece() {
        var heard = new ArrayList<String>();
        var actor = scope.anonymous().strategy(new On(Placement.onFibers(lanes, YieldingHandoff.INSTANCE)))
                .newActor((String message) -> heard.add(message));
        var elsewhere = new ArrayList<Integer>();
        run(new Lane(lanes, () -> shifts.run(shift -> {
            shifts.piece(() -> {
                actor.sendMessage("hello");
                elsewhere.add(started.size());
            });
            shifts.piece(() -> elsewhere.add(started.size()));
        }), 0));
        assertThat(elsewhere).as("next on the lane at first, then on another").containsExactly(0, 1);
        run(started.remove());
        assertThat(heard).containsExactly("hello");
    }

    @Test
    void aWatcherSeesOnePieceAfterAnother() {
        var lane = new Lane[1];
        var seen = new ArrayList<Long>();
        lane[0] = new Lane(lanes, () -> shifts.run(shift -> {
            shifts.piece(() -> seen.add(lane[0].progress()));
            shifts.piece(() -> seen.add(lane[0].progress()));
        }), 0);
        run(lane[0]);
        assertThat(seen).doesNotHaveDuplicates().hasSize(2);
    }

    /** On the thread of the test, which is the thread of no lane afterwards. */
    private static void run(Runnable lane) {
        try {
            lane.run();
        } finally {
            Runner.leave();
        }
    }
}
