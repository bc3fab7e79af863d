package io.fibry.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.testing.Patience;
import io.fibry.time.ManualTime;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How many lanes it takes to answer threads. */
class AskedFromOutsideTest {
    private static final int ASKS = 500;

    private final AtomicInteger started = new AtomicInteger();
    private final ActorScope scope = ActorSystem.open("outside");

    private record On(Placement placement) implements Placement.Known {
    }

    private Actor<Integer, Integer> actor(boolean enabled) {
        var lanes = new Lanes(lane -> {
            started.incrementAndGet();
            Thread.ofVirtual().start(lane);
        }, new ManualTime(), enabled, YieldingHandoff.INSTANCE, 1);
        return scope.anonymous().strategy(new On(Placement.onFibers(lanes, YieldingHandoff.INSTANCE)))
                .newActorWithReturn((Integer number) -> number + 1);
    }

    /** Else its turn would take what is sent without any lane; and its lane needs some time to get to its post. */
    private static void awaitIdle(Actor<?, ?> actor, int looks) {
        Patience.spin("it is idle", () -> actor.state() == ActorState.IDLE);
        for (int i = 0; i < looks; i++) {
            Thread.onSpinWait();
        }
    }

    private static int ask(Actor<Integer, Integer> actor, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            awaitIdle(actor, i % 50);
            assertThat(actor.sendMessageReturn(i).get()).isEqualTo(i + 1);
        }
        return times;
    }

    private static <T> T onVirtual(Callable<T> code) throws Exception {
        var task = new FutureTask<>(code);
        Thread.ofVirtual().start(task);
        return task.get();
    }

    @AfterEach
    void close() {
        scope.close();
    }

    /** Both have to be on a processor at the same moment, which is rare where others want them. */
    @Tag("timing")
    @Test
    void aVirtualThreadThatAsksAgainFindsTheLaneThatHasAnsweredIt() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1); // one is the lane's
        var actor = actor(true);
        var asks = new AtomicInteger();
        Patience.spin("fewer lanes than asks", () -> {
            try {
                return asks.addAndGet(onVirtual(() -> ask(actor, ASKS))) > started.get();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    void withoutLanesEachAskHasAThread() throws Exception {
        var actor = actor(false);
        onVirtual(() -> ask(actor, ASKS));
        assertThat(started).hasValue(ASKS);
    }

    @Test
    void aPlatformThreadsAskHasALaneOfItsOwn() throws Exception {
        ask(actor(true), ASKS);
        assertThat(started).hasValue(ASKS);
    }

    @Test
    void anAskByAnActorThatRunsOnACallersThreadHasALaneOfItsOwn() throws Exception {
        var actor = actor(true);
        var asking = scope.anonymous().strategy(CreationStrategy.caller())
                .newActorWithReturn((Integer times) -> ask(actor, times));
        onVirtual(() -> asking.sendMessageReturn(ASKS).get());
        assertThat(started).hasValue(ASKS);
    }

    @Test
    void whatNobodyWaitsForHasALaneOfItsOwn() throws Exception {
        var actor = actor(true);
        onVirtual(() -> {
            for (int i = 0; i < ASKS; i++) {
                awaitIdle(actor, i % 50);
                actor.sendMessage(i);
            }
            awaitIdle(actor, 0);
            return null;
        });
        assertThat(started).hasValue(ASKS);
    }
}
