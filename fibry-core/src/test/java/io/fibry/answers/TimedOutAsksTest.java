package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.AskTimeoutException;
import io.fibry.CreationStrategy;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.BugClass;
import io.fibry.testing.Garbage;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

@BugClass({11, 17})
class TimedOutAsksTest {
    private static final int BATCHES = 10;
    private static final int ASKS = 100_000;
    private static final int WATCHED_EACH = 500;

    private final List<WeakReference<Object>> watched = new ArrayList<>();

    @Test
    void aMillionOfThemLeaveNothingAndMakeNoThreads() throws Exception {
        var scope = Scopes.configure().strategy(CreationStrategy.threads()).open();
        try (scope) {
            var gate = new AtomicReference<CountDownLatch>();
            var actor = scope.anonymous().newActorWithReturn((Object message) -> {
                Waits.on(gate.get());
                return message;
            });
            var threadsBefore = threadsMade();
            for (int batch = 0; batch < BATCHES; batch++) {
                gate.set(new CountDownLatch(1));
                actor.sendMessage("occupy it");
                var last = new CompletableFuture<Object>();
                for (int n = 0; n < ASKS; n++) {
                    last = ask(actor::sendMessageReturn, n);
                }
                assertThat(Waits.failure(last)).isInstanceOf(AskTimeoutException.class);
                gate.get().countDown();
            }
            Waits.until("all have met a fate", () -> actor.counters().total() == BATCHES * (ASKS + 1L));
            assertThat(threadsMade() - threadsBefore).as("threads made").isLessThan(1_000);
            assertThat(actor.counters().expired()).isEqualTo((long) BATCHES * ASKS);
            Waits.until("no limit is left", () -> EngineProbe.pendingTimers() == 0);
            Garbage.isEachOf(watched);
            assertThat(actor.mailboxSize()).isZero();
        }
    }

    private interface Asking {
        CompletableFuture<Object> ask(Object message, Duration timeout);
    }

    private CompletableFuture<Object> ask(Asking actor, int n) {
        var message = new Object();
        var answer = actor.ask(message, Duration.ofMillis(1));
        if (n % WATCHED_EACH == 0) {
            watched.add(new WeakReference<>(message));
            watched.add(new WeakReference<>(answer));
        }
        return answer;
    }

    /** Threads of any kind get their numbers from one count. */
    private static long threadsMade() {
        return Thread.ofVirtual().unstarted(() -> {
        }).threadId();
    }
}
