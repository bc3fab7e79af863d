package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.Waits;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Very many actors made, used and stopped, and everything is as it was before: a million in the thorough build. */
class SoakTest {
    private static final int BATCHES = Boolean.getBoolean("fibry.thorough") ? 100 : 20;
    private static final int BATCH = 10_000;
    private static final long MORE_HEAP = 32L << 20;

    private final LongAdder handled = new LongAdder();
    private final LongAdder hooks = new LongAdder();

    @Test
    void manyActorsLeaveNothing() {
        try (var scope = ActorSystem.open("soak")) {
            run(scope); // loads classes, and whatever is made once
            var heap = usedHeap();
            var timers = EngineProbe.pendingTimers();
            var threads = ManagementFactory.getThreadMXBean().getThreadCount();
            for (int batch = 1; batch < BATCHES; batch++) {
                run(scope);
            }
            assertThat(handled.sum()).isEqualTo((long) BATCHES * BATCH);
            assertThat(hooks.sum()).isEqualTo((long) BATCHES * BATCH / 10);
            Waits.until("no timer is left", () -> EngineProbe.pendingTimers() <= timers); // others may have left some
            Waits.left(scope);
            assertThat(usedHeap() - heap).as("more heap in use").isLessThan(MORE_HEAP);
            assertThat(ManagementFactory.getThreadMXBean().getThreadCount() - threads).as("more threads")
                    .isLessThan(50); // carriers come and go
        }
    }

    private void run(ActorScope scope) {
        var actors = new ArrayList<Actor<Integer, Void>>();
        for (int n = 0; n < BATCH; n++) {
            var actor = make(scope, n);
            actor.sendMessage(n);
            actors.add(actor);
        }
        for (var actor : actors) {
            actor.sendPoisonPill();
        }
        actors.forEach(Waits::stopped);
    }

    private Actor<Integer, Void> make(ActorScope scope, int n) {
        ActorBuilder builder = n % 7 == 0 ? scope.named("actor-" + n) : scope.anonymous();
        if (n % 10 == 0) {
            builder = builder.onExit(hooks::increment);
        }
        return n % 13 == 0 ? builder.<Integer>newActor((context, message) -> {
            context.timers().fixedDelay("key", Duration.ofHours(1), message);
            handled.increment();
        }) : builder.newActor((Integer message) -> handled.increment());
    }

    private static long usedHeap() {
        for (int i = 0; i < 5; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
