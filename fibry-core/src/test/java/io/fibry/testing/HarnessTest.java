package io.fibry.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The probes of these tests can fail: each finds the bug that it looks for, planted by hand. */
@BugClass(38)
class HarnessTest {
    @Test
    void theProbeFindsTwoInside() throws Exception {
        var probe = new Probe();
        var both = new CountDownLatch(2);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < 2; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                probe.enter();
                both.countDown();
                try {
                    both.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                probe.leave();
            }));
        }
        for (var thread : threads) {
            Waits.on(thread);
        }
        assertThatThrownBy(probe::assertNeverTwoInside).isInstanceOf(AssertionError.class);
    }

    @Test
    void theCollectorFindsWhatIsRetained() {
        var retained = new Object();
        var references =
                Map.of("kept", new WeakReference<>(retained), "not kept", new WeakReference<>(new Object()));
        assertThatThrownBy(() -> Garbage.isEachOf(references, Duration.ofMillis(100)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("still reachable of 2", "[\"kept\"]");
        Reference.reachabilityFence(retained);
    }

    @Test
    void anAskThatIsLostIsNotTakenForAnAnswer() {
        var actor = ActorSystem.anonymous().strategy(CreationStrategy.of(turn -> {
        })).newActorWithReturn((Integer n) -> n);
        assertThatThrownBy(() -> actor.sendMessageReturn(1).get(20, TimeUnit.MILLISECONDS))
                .isInstanceOf(TimeoutException.class);
    }

    @Test
    void aFailureInAnotherJvmIsFound() {
        assertThatThrownBy(() -> Child.run(Failing.class, List.of())).isInstanceOf(AssertionError.class)
                .hasMessageContaining("planted in main");
        assertThatThrownBy(() -> Child.run(FailingAside.class, List.of())).isInstanceOf(AssertionError.class)
                .hasMessageContaining("planted aside");
    }

    static final class Failing {
        public static void main(String[] arguments) {
            throw new AssertionError("planted in main");
        }
    }

    /** A failure on another thread is handed to the main thread, as every test here does it. */
    static final class FailingAside {
        public static void main(String[] arguments) throws Exception {
            Waits.on(Aside.run(() -> {
                throw new AssertionError("planted aside");
            }));
        }
    }

    @Test
    void anAnswerThatComesIsNoFailure() {
        assertThatThrownBy(() -> Waits.failure(CompletableFuture.completedFuture(1)))
                .isInstanceOf(AssertionError.class);
    }
}
