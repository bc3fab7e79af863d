package io.fibry.fairness;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.function.Handler;
import io.fibry.internal.engine.EngineProbe;
import io.fibry.testing.Child;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long after the send a receiver starts whose sender then blocks. In a JVM of its own: the number of carriers
 * is a matter of its start. Many rounds, each with a handler class that the engine has never seen.
 */
@Tag("timing")
@Tag("once")
class StartDelayTest {
    @Promise("7.1")
    @ParameterizedTest(name = "{0} carriers")
    @ValueSource(ints = {1, 2})
    void aReceiverStartsPromptlyWhateverItsSenderDoes(int carriers) throws Exception {
        // On JDK 21 a thread that was started while another one computes may not begin, although a carrier is idle. Bare threads are no better.
        var maySpin = carriers > 1 && Runtime.version().feature() > 21;
        var ways = Arrays.stream(Next.values()).filter(next -> maySpin || next != Next.SPINS);
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
        private static final Duration LIMIT = Duration.ofMillis(2);
        /** The monitor is woken, looks, looks again, and again, and then a thread is. */
        private static final int HOPS = 4;
        private static final int REPEATS = 3;
        private static final int ROUNDS = 21;
        /** The class is known to block after a few sends, or not at all. */
        private static final int KNOWN_AFTER = 5;
        private static final int SENDS = 12;

        private final Next next;
        private final Socket reading;
        private final Socket writing;

        private Measured(Next next, Socket reading, Socket writing) {
            this.next = next;
            this.reading = reading;
            this.writing = writing;
        }

        public static void main(String[] arguments) throws Exception {
            for (var argument : arguments) {
                try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                        var reading = new Socket(server.getInetAddress(), server.getLocalPort());
                        var writing = server.accept();
                        var timer = Executors.newSingleThreadScheduledExecutor()) {
                    var measured = new Measured(Next.valueOf(argument), reading, writing);
                    measured.startsWithinTheLimit();
                    if (measured.next != Next.SPINS) {
                        // That takes a processor for itself: when the machine has no other to spare, only the clock that
                        // stands still can tell. And on JDK 21 a bare thread that a spinning one has started may never run.
                        measured.isAsPromptAsAThread(timer);
                    }
                }
            }
        }

        /** By a clock that stands still but for the limit: what the machine does besides takes no time. */
        private void startsWithinTheLimit() throws Exception {
            var time = new ManualTime();
            try (var scope = ActorSystem.configure("still")
                    .strategy(EngineProbe.lanesOn(task -> Thread.ofVirtual().start(task), time)).open()) {
                Actor<Started, Void> receiver = scope.anonymous().newActor(Started::now);
                for (int round = 0; round < ROUNDS; round++) {
                    var sender = scope.anonymous().newActor(new Fresh().handler());
                    for (int i = 0; i < SENDS; i++) {
                        // Until its turn has ended it would take at once what comes.
                        Patience.spin("idle", () -> receiver.state() == ActorState.IDLE);
                        var started = send(sender, receiver::sendMessage).started();
                        if (i == 0) {
                            assertThat(started.at).as("nobody has looked, the sender %s", next).isNotDone();
                        }
                        if (i <= KNOWN_AFTER || next == Next.SPINS) {
                            time.advance(LIMIT);
                        }
                        Waits.on(started.at);
                        sender.execAndWait(() -> {
                        });
                    }
                }
            }
        }

        private record Sent(Started started, long at) {
        }

        /** Sends, and waits until the sender does what is next. */
        private Sent send(Actor<Object[], Void> sender, Consumer<Started> send) throws Exception {
            var started = new Started(next, reading, writing);
            var at = new AtomicLong();
            var sending = new CompletableFuture<Thread>();
            Runnable sends = () -> {
                at.set(System.nanoTime());
                send.accept(started);
                sending.complete(Thread.currentThread());
            };
            AutoCloseable blocks = () -> next.until(started);
            sender.sendMessage(new Object[]{sends, blocks});
            var thread = Waits.on(sending);
            Patience.spin(next.name(), () -> next == Next.SPINS || started.isOver()
                    || thread.getState() == Thread.State.WAITING
                    || thread.getState() == Thread.State.TIMED_WAITING);
            return new Sent(started, at.get());
        }

        /**
         * By the system's clock. What counts is the last of a few repeats: before that, code is loaded and compiled. Of
         * many single samples it is the lower quartile: whoever is rescued by the clock, not started at once, is late
         * in all of them, while a busy machine delays some of them, ours or the bare thread's.
         */
        private void isAsPromptAsAThread(ScheduledExecutorService timer) throws Exception {
            Actor<Started, Void> receiver = ActorSystem.anonymous().newActor(Started::now);
            var first = new ArrayList<Long>();
            var later = new ArrayList<Long>();
            var bare = new ArrayList<Long>();
            var timed = new ArrayList<Long>();
            for (int repeat = 0; repeat < REPEATS; repeat++) {
                first.clear();
                later.clear();
                bare.clear();
                timed.clear();
                for (int round = 0; round < ROUNDS; round++) {
                    var sender = ActorSystem.anonymous().newActor(new Fresh().handler());
                    for (int i = 0; i < SENDS; i++) {
                        var late = late(sender, receiver::sendMessage);
                        if (i == 0) {
                            first.add(late);
                        } else if (i > KNOWN_AFTER) {
                            later.add(late);
                        }
                    }
                    for (int i = KNOWN_AFTER + 1; i < SENDS; i++) {
                        bare.add(late(sender, Measured::startAlone));
                    }
                    timed.add(late(sender, started -> startAfter(HOPS, timer, started)));
                }
            }
            var text = String.format(Locale.ROOT,
                    "the sender %s: first %,d ns, later %,d ns, a virtual thread %,d ns, after %d timers %,d ns",
                    next, quartile(first), quartile(later), quartile(bare), HOPS, quartile(timed));
            System.out.println(text);
            // The clock that stands still has told that it is no more than 2 ms. Here it is no more than twice what the
            // JDK's own timer takes for that, with as many wake-ups of a thread that sleeps.
            assertThat(quartile(first)).as(text).isLessThan(2 * quartile(timed));
            // Twice, and a little: another thread's start is in it, whose noise is not ours.
            assertThat(quartile(later)).as(text).isLessThan(2 * quartile(bare) + 100_000);
        }

        private static long quartile(List<Long> samples) {
            return samples.stream().sorted().toList().get(samples.size() / 4);
        }

        private long late(Actor<Object[], Void> sender, Consumer<Started> send) throws Exception {
            var sent = send(sender, send);
            var late = Waits.on(sent.started().at) - sent.at();
            sender.execAndWait(() -> {
            });
            return late;
        }

        /** One timer after the other, in all as long as the limit. */
        private static void startAfter(int hops, ScheduledExecutorService timer, Started started) {
            if (hops == 0) {
                startAlone(started);
            } else {
                timer.schedule(() -> startAfter(hops - 1, timer, started), LIMIT.toNanos() / HOPS,
                        NANOSECONDS);
            }
        }

        private static void startAlone(Started started) {
            Thread.startVirtualThread(() -> {
                try {
                    started.now();
                } catch (IOException | InterruptedException e) {
                    throw new AssertionError(e);
                }
            });
        }
    }
}
