package io.fibry.robust;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.Handler;
import io.fibry.testing.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long after the send a receiver starts whose sender then blocks. In a JVM of its own: the number of carriers
 * is a matter of its start. The lower quartile of many rounds, each with a handler class that the engine has never
 * seen: what else the machine does can only add, and the engine's part is in each of them.
 */
class PromptStartTest {
    @Promise("7.3")
    @ParameterizedTest(name = "{0} carriers")
    @ValueSource(ints = {1, 2})
    void aReceiverStartsPromptlyWhateverItsSenderDoes(int carriers) throws Exception {
        var ways = Arrays.stream(Next.values()).filter(next -> carriers > 1 || next != Next.SPINS);
        Child.run(Measured.class, List.of("-Djdk.virtualThreadScheduler.parallelism=" + carriers),
                ways.map(Next::name).toArray(String[]::new));
    }

    /** What a sender does until its receiver has started. It ends when that has, by the receiver's doing only. */
    enum Next {
        SLEEPS {
            @Override
            void until(Started started) throws Exception {
                while (!started.isOver()) {
                    Thread.sleep(5);
                }
            }
        },
        READS {
            @Override
            void until(Started started) throws Exception {
                started.reading.getInputStream().read();
            }
        },
        AWAITS {
            @Override
            void until(Started started) throws Exception {
                started.latch.await();
            }
        },
        JOINS {
            @Override
            void until(Started started) {
                started.at.join();
            }
        },
        LOCKS {
            @Override
            void until(Started started) throws Exception {
                var lock = new ReentrantLock();
                var condition = lock.newCondition();
                lock.lock();
                try {
                    started.at.thenRunAsync(() -> {
                        lock.lock();
                        try {
                            condition.signal();
                        } finally {
                            lock.unlock();
                        }
                    }, Thread::startVirtualThread);
                    while (!started.isOver()) {
                        condition.await();
                    }
                } finally {
                    lock.unlock();
                }
            }
        },
        OFFERS {
            @Override
            void until(Started started) throws Exception {
                started.meeting.put(started);
            }
        },
        SPINS {
            @Override
            void until(Started started) {
                while (!started.isOver()) {
                    Thread.onSpinWait();
                }
            }
        };

        abstract void until(Started started) throws Exception;
    }

    /** One send, and what its sender may wait at. */
    static final class Started {
        final CompletableFuture<Long> at = new CompletableFuture<>();
        final CountDownLatch latch = new CountDownLatch(1);
        final SynchronousQueue<Started> meeting = new SynchronousQueue<>();
        final Next next;
        final Socket reading;
        final Socket writing;

        Started(Next next, Socket reading, Socket writing) {
            this.next = next;
            this.reading = reading;
            this.writing = writing;
        }

        boolean isOver() {
            return at.isDone();
        }

        void now() throws IOException, InterruptedException {
            at.complete(System.nanoTime());
            switch (next) {
                case AWAITS -> latch.countDown();
                case READS -> writing.getOutputStream().write(1);
                case OFFERS -> meeting.take();
                default -> {
                }
            }
        }
    }

    /** A handler that sends and then blocks. Its class is loaded anew for each round. */
    public static final class Sending implements Handler<Object[]> {
        @Override
        @SuppressWarnings("unchecked")
        public void handle(Object[] work) throws Exception {
            ((Runnable) work[0]).run();
            ((AutoCloseable) work[1]).close();
        }
    }

    private static final class Fresh extends ClassLoader {
        Handler<Object[]> handler() throws Exception {
            var name = Sending.class.getName();
            try (var in = Sending.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                var code = in.readAllBytes();
                @SuppressWarnings("unchecked")
                var made = (Handler<Object[]>) defineClass(name, code, 0, code.length).getConstructor()
                        .newInstance();
                return made;
            }
        }
    }

    static final class Measured {
        private static final int WARM_UPS = 3;
        private static final int ROUNDS = 21;
        /** The class is known to block after a few sends, or not at all. */
        private static final int KNOWN_AFTER = 5;
        private static final int SENDS = 12;
        private static final long FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

        public static void main(String[] arguments) throws Exception {
            for (var next : arguments) {
                measure(Next.valueOf(next));
            }
        }

        private static void measure(Next next) throws Exception {
            try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    var reading = new Socket(server.getInetAddress(), server.getLocalPort());
                    var writing = server.accept()) {
                measure(next, reading, writing);
            }
        }

        private static void measure(Next next, Socket reading, Socket writing) throws Exception {
            Actor<Started, Void> receiver = ActorSystem.anonymous().newActor(Started::now);
            var first = new long[ROUNDS];
            var later = new long[ROUNDS];
            var bare = new long[ROUNDS];
            for (int warmUp = 0; warmUp < WARM_UPS; warmUp++) {
                for (int round = 0; round < ROUNDS; round++) {
                    var sender = ActorSystem.anonymous().newActor(new Fresh().handler());
                    for (int i = 0; i < SENDS; i++) {
                        var late = late(new Started(next, reading, writing), sender, receiver::sendMessage);
                        if (i == 0) {
                            first[round] = late;
                        } else if (i > KNOWN_AFTER) {
                            later[round] += late / (SENDS - KNOWN_AFTER - 1);
                        }
                    }
                    bare[round] = late(new Started(next, reading, writing), sender,
                            started -> Thread.startVirtualThread(() -> {
                                try {
                                    started.now();
                                } catch (IOException | InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                            }));
                }
                if (warmUp < WARM_UPS - 1) {
                    Arrays.fill(later, 0);
                }
            }
            var text = String.format(Locale.ROOT,
                    "the sender %s: first %,d ns, later %,d ns, a virtual thread %,d ns",
                    next, quartile(first), quartile(later), quartile(bare));
            System.out.println(text);
            assertThat(quartile(first)).as(text).isLessThan(FIRST_NANOS);
            // Twice, and a little: another thread's start is in it, whose noise is not ours.
            var limit = next == Next.SPINS ? FIRST_NANOS : 2 * quartile(bare) + 100_000;
            assertThat(quartile(later)).as(text).isLessThan(limit);
        }

        private static long late(Started started, Actor<Object[], Void> sender,
                Consumer<Started> send) throws Exception {
            var sentAt = new CompletableFuture<Long>();
            Runnable sends = () -> {
                sentAt.complete(System.nanoTime());
                send.accept(started);
            };
            AutoCloseable blocks = () -> started.next.until(started);
            var answer = new CountDownLatch(1);
            sender.sendMessage(new Object[]{sends, blocks});
            var late = started.at.get(20, TimeUnit.SECONDS) - sentAt.get();
            sender.execute(answer::countDown);
            answer.await();
            return late;
        }

        private static long quartile(long[] samples) {
            var sorted = samples.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 4];
        }
    }
}
