package io.fibry.answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.Actor;
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
    private static final int ROUNDS = 15;

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
                    last = ask(actor::ask, n);
                }
                assertThat(Waits.failure(last)).isInstanceOf(AskTimeoutException.class);
                gate.get().countDown();
            }
            Waits.until("all have met a fate", () -> actor.counters().total() == BATCHES * (ASKS + 1L));
            assertThat(threadsMade() - threadsBefore).as("threads made").isLessThan(1_000);
            assertThat(actor.counters().expired()).isEqualTo((long) BATCHES * ASKS);
            Waits.until("no limit is left", () -> EngineProbe.pendingTimers() == 0);
            Waits.until("all are completed", () -> watched.stream().noneMatch(TimedOutAsksTest::isPending));
            Garbage.isEachOf(watched);
            assertThat(actor.mailboxSize()).isZero();
        }
    }

    /** A thread that looks at an answer by its other methods completes it, and does not leave that to fibers. */
    private static boolean isPending(WeakReference<Object> reference) {
        return reference.get() instanceof CompletableFuture<?> answer
                && answer.toString().contains("[Not completed");
    }

    /** A future that depends on answers whose time is over, and which no thread has seen fail, holds neither of them. */
    @Test
    void whatDependsOnThemEndsAlthoughNoThreadHasThem() throws Exception {
        var gate = new CountDownLatch(1);
        var scope = Scopes.configure().strategy(CreationStrategy.threads()).open();
        try {
            var actor = scope.anonymous().newActorWithReturn((Object message) -> {
                Waits.on(gate);
                return message;
            });
            actor.sendMessage("occupy it");
            for (int round = 1; round <= ROUNDS; round++) {
                var all = dependent(actor);
                System.gc();
                assertThat(Waits.failure(all)).isInstanceOf(AskTimeoutException.class);
            }
        } finally {
            gate.countDown();
            scope.close();
        }
    }

    private static CompletableFuture<?> dependent(Actor<Object, Object> actor) {
        var one = actor.ask("one", Duration.ofMillis(1));
        var other = actor.ask("other", Duration.ofMillis(1));
        var last = actor.ask("last", Duration.ofMillis(2));
        assertThatThrownBy(last::get).hasCauseInstanceOf(AskTimeoutException.class);
        return CompletableFuture.allOf(one, other);
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
