package io.fibry.retention;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.AskTimeoutException;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What very many asks hold whose time is over while their actor is busy. */
@Tag("once")
class LateAsksTest {
    private static final int ASKS = 100_000;
    private static final int MOST_FOR_THE_ACTOR = 40;
    /** The future, its failure, and the text of that. A stack trace for each would take more than all of this. */
    private static final int MOST_FOR_A_FUTURE = 450;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hardlyAnythingThoughTheActorHasNotCountedThem(boolean isBounded) throws Exception {
        var release = new CountDownLatch(1);
        try (var scope = Scopes.configure().open()) {
            var builder = scope.anonymous();
            var actor = (isBounded
                    ? builder.mailbox(MailboxPolicy.bounded(2 * ASKS, OverflowPolicy.reject()))
                    : builder).newActorWithReturn((Object message) -> {
                        Waits.on(release);
                        return message;
                    });
            actor.sendMessage("occupy it");
            ask(actor, 1_000); // classes are loaded
            var before = used();
            var futures = ask(actor, ASKS);
            var most = ASKS * (MOST_FOR_THE_ACTOR + MOST_FOR_A_FUTURE);
            assertThat(used() - before).as("with the futures").isLessThan(most);
            assertThat(futures).allMatch(CompletableFuture::isCompletedExceptionally)
                    .allMatch(future -> future.exceptionNow() instanceof AskTimeoutException late
                            && late.getMessage().contains("within"));
            futures.clear();
            Waits.until("no more is held", () -> used() - before < ASKS * MOST_FOR_THE_ACTOR);
            release.countDown();
            Waits.until("all are counted", () -> actor.counters().expired() == ASKS + 1_000);
        } finally {
            release.countDown();
        }
    }

    /** Asks, and returns when all futures are complete, though no thread has looked at them. */
    private static List<CompletableFuture<Object>> ask(Actor<Object, Object> actor, int count) {
        var futures = new ArrayList<CompletableFuture<Object>>(count);
        for (int n = 0; n < count; n++) {
            futures.add(actor.ask(n, Duration.ofMillis(1)));
        }
        Waits.until("all are complete",
                () -> futures.stream().noneMatch(future -> future.toString().contains("[Not completed")));
        return futures;
    }

    private static long used() {
        for (int n = 0; n < 3; n++) {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
