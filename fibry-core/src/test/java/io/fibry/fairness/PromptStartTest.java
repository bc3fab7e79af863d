package io.fibry.fairness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Gate;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class PromptStartTest {
    private static final long LONG_SECONDS = Patience.LIMIT.toSeconds();

    /** What the sender does after it has sent. It ends when the receiver has started, or fails in the end. */
    private enum Next {
        COMPUTES {
            @Override
            void until(CountDownLatch started) {
                var end = System.nanoTime() + TimeUnit.SECONDS.toNanos(LONG_SECONDS);
                while (started.getCount() > 0 && System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
        },
        SLEEPS {
            @Override
            void until(CountDownLatch started) throws Exception {
                // In small pieces, to be over soon, but each of them a sleep.
                for (int i = 0; i < LONG_SECONDS * 50 && started.getCount() > 0; i++) {
                    Thread.sleep(20);
                }
            }
        },
        READS_A_SOCKET {
            @Override
            void until(CountDownLatch started) throws Exception {
                try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                        var socket = new Socket(server.getInetAddress(), server.getLocalPort());
                        var peer = server.accept()) {
                    // Nothing comes before the receiver has started.
                    var writer = Thread.ofPlatform().start(() -> writeWhen(started, peer));
                    socket.getInputStream().read();
                    Waits.on(writer);
                }
            }
        },
        HOLDS_A_LOCK {
            @Override
            void until(CountDownLatch started) throws Exception {
                var lock = new ReentrantLock();
                lock.lock();
                try {
                    Waits.on(started);
                } finally {
                    lock.unlock();
                }
            }
        },
        WAITS_FOR_THE_RECEIVER {
            @Override
            void until(CountDownLatch started) throws Exception {
                Waits.on(started);
            }
        };

        abstract void until(CountDownLatch started) throws Exception;

        private static void writeWhen(CountDownLatch started, Socket peer) {
            try {
                if (started.await(LONG_SECONDS, TimeUnit.SECONDS)) {
                    peer.getOutputStream().write(1);
                } else {
                    peer.close();
                }
            } catch (IOException | InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private static Actor<CountDownLatch, Void> receiver(ActorScope scope) {
        return scope.anonymous().newActor(CountDownLatch::countDown);
    }

    @Promise("7.1")
    @EveryStrategy
    void aReceiverStartsWhateverTheThreadThatSentDoesNext(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            for (var next : Next.values()) {
                Senders.run(2, sender -> {
                    var started = new CountDownLatch(1);
                    receiver(scope).sendMessage(started);
                    next.until(started);
                    assertThat(started.getCount()).as("not started: the sender %s", next).isZero();
                });
            }
        }
    }

    @Promise("7.1")
    @EveryStrategy
    void aReceiverStartsWhateverTheActorThatSentDoesNext(Strategy strategy) throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1); // one is the sender's
        try (var scope = Scopes.on(strategy)) {
            for (var next : Next.values()) {
                var started = new CountDownLatch(1);
                var sender = scope.anonymous().newActorWithReturn((Actor<CountDownLatch, Void> receiver) -> {
                    receiver.sendMessage(started);
                    next.until(started);
                    return started.getCount();
                });
                assertThat(Waits.on(sender.sendMessageReturn(receiver(scope))))
                        .as("not started: the sender %s", next).isZero();
            }
        }
    }

    @Promise("7.1")
    @EveryStrategy
    void soDoAllReceiversOfAnActorThatThenWaits(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var receivers = new ArrayList<Actor<CountDownLatch, Void>>();
            for (int i = 0; i < 100; i++) {
                receivers.add(receiver(scope));
            }
            var sender = scope.anonymous().newActorWithReturn((Integer ignored) -> {
                var started = new CountDownLatch(receivers.size());
                receivers.forEach(receiver -> receiver.sendMessage(started));
                Waits.on(started);
                return started.getCount();
            });
            assertThat(Waits.on(sender.sendMessageReturn(1))).isZero();
        }
    }

    @Promise("7.1")
    @EveryStrategy
    void aChainOfActorsThatEachWaitForTheNextGetsThrough(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            Actor<Integer, Integer> next = scope.anonymous().newActorWithReturn((Integer n) -> n);
            for (int i = 0; i < 150; i++) {
                var after = next;
                next = scope.anonymous()
                        .newActorWithReturn((Integer n) -> after.sendMessageReturn(n).get() + 1);
            }
            assertThat(Waits.on(next.sendMessageReturn(0))).isEqualTo(150);
        }
    }

    @Promise("7.1")
    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Strategy.class, mode = Mode.EXCLUDE, names = "CALLER")
    void aBusyReceiverHoldsUpNeitherItsSenderNorOtherReceivers(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var busy = receiver(scope);
            try (var gate = Gate.in(busy)) {
                busy.sendMessage(new CountDownLatch(1));
                var started = new CountDownLatch(1);
                receiver(scope).sendMessage(started);
                Waits.on(started);
                gate.open();
            }
        }
    }

    @Promise("7.1")
    @ParameterizedTest
    @EnumSource(value = Strategy.class, names = "CALLER")
    void onCallerTheSendersOwnThreadStartsItAtOnce(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var by = new CompletableFuture<Thread>();
            var actor = scope.anonymous().newActor((String message) -> {
                by.complete(Thread.currentThread());
            });
            actor.sendMessage("start");
            assertThat(by).isCompletedWithValue(Thread.currentThread());
        }
    }
}
