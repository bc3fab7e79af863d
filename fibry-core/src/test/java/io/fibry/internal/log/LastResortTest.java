package io.fibry.internal.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.testing.Waits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LastResortTest {
    private final Exception failure = new Exception("what failed");
    private final Exception notLogged = new Exception("why it is not in the log");

    /** Reports on a thread with this handler; fails if the report has thrown something. */
    private void report(Thread.UncaughtExceptionHandler handler, Consumer<Throwable> report)
            throws Exception {
        var done = new CompletableFuture<Void>();
        var thread = Thread.ofPlatform().uncaughtExceptionHandler(handler).start(() -> {
            try {
                report.accept(failure);
                done.complete(null);
            } catch (Throwable thrown) {
                done.completeExceptionally(thrown);
            }
        });
        Waits.on(thread);
        Waits.on(done);
    }

    @Test
    void theHandlerOfTheThreadGetsTheFailure() throws Exception {
        var got = new ConcurrentLinkedQueue<Throwable>();
        report((thread, thrown) -> got.add(thrown), LastResort::report);
        assertThat(got).containsExactly(failure);
        assertThat(failure.getSuppressed()).isEmpty();
    }

    @Test
    void theFailureTellsWhyItIsNotInTheLog() throws Exception {
        var got = new ConcurrentLinkedQueue<Throwable>();
        report((thread, thrown) -> got.add(thrown), thrown -> LastResort.report(thrown, notLogged));
        assertThat(got).containsExactly(failure);
        assertThat(failure.getSuppressed()).containsExactly(notLogged);
    }

    @Test
    void aHandlerThatFailsIsToldByTheFailure() throws Exception {
        var broken = new IllegalStateException("the handler is broken");
        report((thread, thrown) -> {
            throw broken;
        }, LastResort::report);
        assertThat(failure.getSuppressed()).containsExactly(broken);
    }

    /** No exception can suppress itself. */
    @Test
    void aLoggerAndAHandlerMayThrowWhatTheyWereGiven() throws Exception {
        report((thread, thrown) -> {
            throw sneaked(thrown);
        }, thrown -> LastResort.report(thrown, thrown));
        assertThat(failure.getSuppressed()).isEmpty();
    }

    @SuppressWarnings("unchecked") // erased: the exception is thrown as it is
    private static <X extends Throwable> RuntimeException sneaked(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
