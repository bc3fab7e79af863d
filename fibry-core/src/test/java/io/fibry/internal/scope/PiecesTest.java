package io.fibry.internal.scope;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ReceivingContext;
import io.fibry.internal.actor.Current;
import io.fibry.internal.run.Lanes;
import io.fibry.internal.run.Placement;
import io.fibry.internal.run.Runner;
import io.fibry.internal.run.YieldingHandoff;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Pieces of work on a lane that the test runs, which no monitor looks at. */
class PiecesTest {
    private final ActorScope scope = ActorSystem.open("pieces");
    private final Pieces pieces = ServerBuilder.of(scope.anonymous()).pieces();
    private final Queue<Runnable> started = new ArrayDeque<>();
    private final Lanes lanes = new Lanes(started::add, new ManualTime(), true, YieldingHandoff.INSTANCE, 1);

    private record On(Placement placement) implements Placement.Known {
    }

    @AfterEach
    void close() {
        scope.close();
    }

    private ActorBuilder onLanes() {
        return scope.anonymous().strategy(new On(Placement.onFibers(lanes, YieldingHandoff.INSTANCE)));
    }

    @Test
    void whatAPieceHasSentToIsNotKeptWaitingForTheNextPiece() {
        var heard = new ArrayList<String>();
        var actor = onLanes().newActor((String message) -> heard.add(message));
        var elsewhere = new ArrayList<Integer>();
        onLanes().newReceivingActor((ReceivingContext<Object> context) -> {
            pieces.run(() -> {
                actor.sendMessage("hello");
                elsewhere.add(started.size());
            });
            elsewhere.add(started.size());
        });
        run(started.remove());
        assertThat(elsewhere).as("next on the lane at first, then on another").containsExactly(0, 1);
        run(started.remove());
        assertThat(heard).containsExactly("hello");
    }

    @Test
    void aWatcherSeesOnePieceAfterAnother() {
        var seen = new ArrayList<Long>();
        onLanes().newReceivingActor((ReceivingContext<Object> context) -> {
            pieces.run(() -> seen.add(Current.runner().progress()));
            pieces.run(() -> seen.add(Current.runner().progress()));
        });
        run(started.remove());
        assertThat(seen).doesNotHaveDuplicates().hasSize(2);
    }

    @Test
    void aPieceThatBreaksOffIsTold() {
        var told = new ArrayList<Throwable>();
        onLanes().newReceivingActor((ReceivingContext<Object> context) -> {
            try {
                pieces.run(() -> {
                    throw new IOException("broken off");
                });
            } catch (IOException e) {
                told.add(e);
            }
        });
        run(started.remove());
        assertThat(told).singleElement().extracting(Throwable::getMessage).isEqualTo("broken off");
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
