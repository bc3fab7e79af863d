package io.fibry.watchdog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.Actor;
import io.fibry.ActorName;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.Stereotypes;
import io.fibry.Watchdog;
import io.fibry.event.CarriersStarved;
import io.fibry.event.Lagging;
import io.fibry.event.Stuck;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import io.fibry.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class WatchdogTest {
    private static final Duration LIMIT = Duration.ofSeconds(4);
    /** There are four looks within the limit. */
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Watchdog STUCK = Watchdog.none().stuckAfter(LIMIT);
    private static final Watchdog LAGGING = Watchdog.none().laggingAfter(LIMIT);

    /** It waits for nobody: handlers compute here as long as they like. */
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final Recorder recorder = new Recorder();
    private final Semaphore begun = new Semaphore(0);
    private final Semaphore goesOn = new Semaphore(0);
    private final List<Thread> senders = new ArrayList<>();
    private volatile boolean over;

    private ScopeBuilder scope(Strategy strategy, Watchdog watchdog) {
        return ActorSystem.configure("watched").strategy(strategy.create()).time(time).listener(recorder)
                .watchdog(watchdog);
    }

    /** Lets the watchdog look so many times. When it has looked it sets its timer again. */
    private void look(int times) {
        awaitLook();
        for (int i = 0; i < times; i++) {
            time.advance(LOOK);
            awaitLook();
        }
    }

    private void awaitLook() {
        Waits.until("the watchdog has looked", () -> time.pending() == 1);
    }

    /** Does not end before the test wants it to. */
    private void stay() throws InterruptedException {
        begun.release();
        goesOn.acquire();
    }

    private void awaitBegun() throws InterruptedException {
        assertThat(begun.tryAcquire(Patience.MILLIS, TimeUnit.MILLISECONDS)).as("a handler has begun")
                .isTrue();
    }

    /** By a thread of its own, since on {@code caller()} that one handles it. Returns when it is being handled. */
    private <M> void send(Actor<M, ?> actor, M message) throws InterruptedException {
        senders.add(Thread.ofPlatform().start(() -> actor.sendMessage(message)));
        awaitBegun();
    }

    private static Thread watchdogOf(ActorScope scope) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().equals("fibry-watchdog-" + scope.name())).findFirst().orElseThrow();
    }

    /** It has no actor to look at. */
    private void awaitSleep(Thread watchdog) {
        Waits.until("the watchdog sleeps",
                () -> watchdog.getState() == Thread.State.WAITING && time.pending() == 0);
    }

    private interface Code {
        void run(ActorScope scope) throws Exception;
    }

    /** Lets all handlers end before the scope is closed, also if the test has failed. */
    private void within(ScopeBuilder builder, Code test) throws Exception {
        try (var scope = builder.open()) {
            try {
                awaitSleep(watchdogOf(scope)); // so the first actor wakes it, and nothing else does
                test.run(scope);
            } finally {
                over = true;
                goesOn.release(1_000);
                for (var sender : senders) {
                    Waits.on(sender);
                }
            }
        }
    }

    @Promise({"26.1", "26.3"})
    @EveryStrategy
    void aHandlerThatWorksForTooLongIsReportedWithWhatItDoes(Strategy strategy) throws Exception {
        within(scope(strategy, STUCK), scope -> {
            var actor = scope.named("slow").newActor((String message) -> stay());
            look(3);
            send(actor, "one");
            look(4);
            assertThat(recorder.of(Stuck.class)).as("seen for three seconds, after four").isEmpty();
            look(1);
            var stuck = recorder.only(Stuck.class);
            assertThat(stuck.actor()).isEqualTo("slow");
            assertThat(stuck.message()).contains(String.class);
            assertThat(stuck.runningFor()).isEqualTo(LIMIT);
            assertThat(stuck.stack()).anyMatch(frame -> frame.getMethodName().equals("stay")
                    && frame.getClassName().equals(getClass().getName()));
        });
    }

    /** Messages that pile up have no nodes; their class is known all the same. */
    @Promise("26.1")
    @Test
    void aHandlerOfAMessageThatHasPiledUpIsReportedWithItsClass() throws Exception {
        within(scope(Strategy.FIBERS, STUCK), scope -> {
            var actor = scope.named("slow").newActor((Object message) -> {
                if (!(message instanceof Integer)) {
                    stay();
                }
            });
            send(actor, "one");
            for (int i = 0; i < 40; i++) {
                actor.sendMessage(i);
            }
            actor.sendMessage(new StringBuilder("last"));
            goesOn.release();
            awaitBegun();
            look(6);
            assertThat(recorder.only(Stuck.class).message()).contains(StringBuilder.class);
        });
    }

    @Promise("26.1")
    @EveryStrategy
    void itIsReportedOnceAndOnceMoreWhenItHasLastedTwiceAsLong(Strategy strategy) throws Exception {
        within(scope(strategy, STUCK), scope -> {
            var actor = scope.named("slow").newActor((String message) -> stay());
            awaitLook(); // the first one, of an actor that does nothing yet
            send(actor, "one");
            look(8);
            assertThat(recorder.of(Stuck.class)).hasSize(1);
            look(30);
            assertThat(recorder.of(Stuck.class)).extracting(Stuck::runningFor)
                    .containsExactly(LIMIT, LIMIT.multipliedBy(2));
            goesOn.release();
            send(actor, "two");
            look(6);
            assertThat(recorder.of(Stuck.class)).as("another message").hasSize(3);
        });
    }

    @Promise("26.1")
    @EveryStrategy
    void whoIsAlwaysSeenAtWorkButOnOtherMessagesIsNotStuck(Strategy strategy) throws Exception {
        within(scope(strategy, STUCK), scope -> {
            var actor = scope.named("busy").newActor((String message) -> stay());
            for (int i = 0; i < 6; i++) {
                if (i % 2 == 0) { // sometimes it is idle in between, sometimes the next one waits already
                    send(actor, "idle");
                } else {
                    var next = Thread.ofPlatform().start(() -> actor.sendMessage("queued"));
                    senders.add(next);
                    if (strategy.isAsync()) {
                        Waits.on(next);
                    }
                    goesOn.release();
                    awaitBegun();
                }
                look(3);
                if (i % 2 == 1) {
                    goesOn.release();
                    Waits.until("idle", () -> scope.counters().handled() % 2 == 0);
                }
            }
        });
        assertThat(recorder.of(Stuck.class)).isEmpty();
    }

    @Promise("26.1")
    @EveryStrategy
    void whoWaitsForAStuckActorIsStuckAsWell(Strategy strategy) throws Exception {
        within(scope(strategy, STUCK), scope -> {
            Actor<Integer, Integer> below = scope.named("below").newActorWithReturn((Integer n) -> {
                stay();
                return n;
            });
            var above = scope.named("above").newActor((String message) -> {
                below.apply(1);
            });
            send(above, "ask");
            look(6);
            assertThat(recorder.of(Stuck.class)).extracting(Stuck::actor)
                    .containsExactlyInAnyOrder("above", "below");
            assertThat(recorder.of(Stuck.class)).allMatch(stuck -> stuck.stack().stream()
                    .anyMatch(frame -> frame.getClassName().startsWith(getClass().getName())));
        });
    }

    @Promise("26.1")
    @EveryStrategy
    void aBodyAndAHandlerThatWaitForMessagesAreNotStuck(Strategy strategy) throws Exception {
        within(scope(strategy, STUCK), scope -> {
            if (strategy.isAsync()) {
                scope.named("body").<String>newReceivingActor(context -> stay());
                awaitBegun();
            }
            var waiting = new CompletableFuture<Thread>();
            Actor<String, Void> receiver = scope.named("receiver").newReceivingActor((context, message) -> {
                waiting.complete(Thread.currentThread());
                begun.release();
                context.receive("go"::equals);
            });
            send(receiver, "one");
            Waits.parked(Waits.on(waiting)); // until then it is a handler that works
            look(12);
            assertThat(recorder.of(Stuck.class)).isEmpty();
            receiver.sendMessage("go");
        });
    }

    @Promise("26.3")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMessageThatWaitsForTooLongIsReported(boolean bounded) throws Exception {
        var mailbox =
                bounded ? MailboxPolicy.bounded(10, OverflowPolicy.reject()) : MailboxPolicy.unbounded();
        within(scope(Strategy.FIBERS, LAGGING).mailbox(mailbox), scope -> {
            var actor = scope.named("slow").newActor((String message) -> stay());
            send(actor, "one");
            look(6);
            assertThat(recorder.of(Lagging.class)).as("nothing waits").isEmpty();
            actor.sendMessage("two");
            look(2);
            actor.sendMessage("three");
            look(2);
            assertThat(recorder.of(Lagging.class)).as("seen for three seconds").isEmpty();
            look(1);
            assertThat(recorder.only(Lagging.class)).isEqualTo(new Lagging("slow", 2, LIMIT));
            look(20);
            assertThat(recorder.of(Lagging.class)).extracting(Lagging::headAge)
                    .containsExactly(LIMIT, LIMIT.multipliedBy(2));
            goesOn.release(2);
            awaitBegun();
            awaitBegun();
            look(1);
            actor.sendMessage("four");
            look(5);
            assertThat(recorder.of(Lagging.class)).as("lagging again").hasSize(3);
        });
    }

    @Promise("26.3")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aMailboxWhoseMessagesComeAndGoInTimeDoesNotLag(boolean bounded) throws Exception {
        var mailbox = bounded
                ? MailboxPolicy.bounded(3, OverflowPolicy.dropOldest())
                : MailboxPolicy.unbounded();
        within(scope(Strategy.FIBERS, LAGGING).mailbox(mailbox), scope -> {
            var actor = scope.named("busy").newActor((String message) -> stay());
            send(actor, "first");
            for (int i = 0; i < 3; i++) {
                actor.sendMessage("more");
            }
            for (int i = 0; i < 12; i++) {
                actor.sendMessage("more"); // bounded: the oldest makes room for it; else one is handled for it
                if (!bounded) {
                    goesOn.release();
                    awaitBegun();
                }
                look(1);
            }
        });
        assertThat(recorder.of(Lagging.class)).isEmpty();
    }

    @Promise("26.3")
    @Test
    void virtualThreadsThatDoNotGetToRunAreReportedWithWhatActorsDo() throws Exception {
        var carriers = Integer.getInteger("jdk.virtualThreadScheduler.parallelism",
                Runtime.getRuntime().availableProcessors());
        var working = new CountDownLatch(carriers);
        within(scope(Strategy.FIBERS, Watchdog.none().starvedAfter(LIMIT)), scope -> {
            for (int i = 0; i < carriers; i++) {
                scope.named("spinner-" + i).newActor((String message) -> spin(working))
                        .sendMessage("go");
            }
            Waits.on(working);
            look(3); // the first one of them may be before all carriers are busy
            assertThat(recorder.of(CarriersStarved.class)).isEmpty();
            look(2);
            var starved = recorder.only(CarriersStarved.class);
            assertThat(starved.actor()).isEqualTo("watched");
            assertThat(starved.waitedFor()).isGreaterThanOrEqualTo(LIMIT);
            assertThat(starved.working()).hasSize(Math.min(carriers, 16)).allSatisfy((actor, stack) -> {
                assertThat(actor).startsWith("spinner-");
                assertThat(stack).anyMatch(frame -> frame.getMethodName().equals("spin"));
            });
        });
    }

    private void spin(CountDownLatch working) {
        working.countDown();
        while (!over) {
            Thread.onSpinWait();
        }
    }

    @Promise("26.3")
    @EveryStrategy
    void actorsOfScopesInsideAndWorkersAreLookedAtUnlessTheyHaveAWatchdogOfTheirOwn(Strategy strategy)
            throws Exception {
        within(scope(strategy, STUCK), scope -> {
            var inner = scope.child("inner").open();
            var own = scope.child("own").time(new ManualTime()).watchdog(STUCK).open();
            for (var each : List.of(inner, own)) {
                send(each.named(each.name()).newActor((String message) -> stay()), "one");
            }
            look(6);
            assertThat(recorder.of(Stuck.class)).extracting(Stuck::actor).containsExactly("inner");
            goesOn.release(2);
            Waits.until("both are done", () -> inner.counters().handled() + own.counters().handled() == 2);
            Actor<String, Void> boss = Stereotypes.with(scope.named("boss")).workers(message -> stay());
            send(boss, "work");
            look(6);
            assertThat(recorder.of(Stuck.class)).hasSizeGreaterThan(strategy.isAsync() ? 1 : 2);
            assertThat(recorder.of(Stuck.class)).extracting(Stuck::actor).doesNotContain("own");
            assertThat(recorder.of(Stuck.class)).anyMatch(stuck -> stuck.actor().startsWith("boss-workers#"));
        });
    }

    @Promise("26.3")
    @Test
    void withoutActorsNoTimerIsSetAndAtTheEndOfTheScopeTheThreadEnds() {
        var scope = scope(Strategy.FIBERS, STUCK).open();
        var thread = watchdogOf(scope);
        awaitSleep(thread);
        for (int i = 0; i < 3; i++) {
            var actor = scope.named("one").newActor((String message) -> {
            });
            awaitLook();
            actor.close();
            time.advance(LOOK);
            awaitSleep(thread);
        }
        scope.named("last").newActor((String message) -> {
        });
        awaitLook();
        scope.close();
        Waits.until("ended", () -> !thread.isAlive());
        assertThat(time.pending()).isZero();
    }

    @Promise("26.3")
    @Test
    void anActorThatIsMadeAsTheWatchdogFallsAsleepIsLookedAt() throws Exception {
        var whileItLooks = new AtomicReference<Runnable>();
        within(scope(Strategy.FIBERS, STUCK).time(interruptedBy(whileItLooks)), scope -> {
            var first = scope.named("first").newActor((String message) -> stay());
            awaitLook();
            // The watchdog asks for the time when it has listed the actors: by then there is none.
            whileItLooks.set(() -> scope.named("late").newActor((String message) -> stay()));
            first.close();
            time.advance(LOOK);
            awaitLook();
            send(scope.<String, Void>find(ActorName.of("late")).orElseThrow(), "one");
            look(6);
            assertThat(recorder.only(Stuck.class).actor()).isEqualTo("late");
        });
    }

    /** Time that is moved by hand; when the watchdog asks for it, something happens first, once. */
    private TimeSource interruptedBy(AtomicReference<Runnable> once) {
        return new TimeSource() {
            @Override
            public long nanoTime() {
                if (Thread.currentThread().getName().startsWith("fibry-watchdog")) {
                    var code = once.getAndSet(null);
                    if (code != null) {
                        code.run();
                    }
                }
                return time.nanoTime();
            }

            @Override
            public Cancellable schedule(long delayNanos, Runnable task) {
                return time.schedule(delayNanos, task);
            }
        };
    }

    @Promise("26.1")
    @Test
    void withoutAListenerItIsLoggedWithItsStack() throws Exception {
        var logger = (Logger) LoggerFactory.getLogger("io.fibry");
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        logger.addAppender(lines);
        logger.setAdditive(false);
        try {
            within(ActorSystem.configure("logged").time(time).watchdog(STUCK.laggingAfter(LIMIT)), scope -> {
                var actor = scope.named("slow").newActor((String message) -> stay());
                send(actor, "one");
                actor.sendMessage("two");
                look(6);
            });
        } finally {
            logger.detachAppender(lines);
            logger.setAdditive(true);
        }
        assertThat(lines.list).extracting(ILoggingEvent::getFormattedMessage)
                .anySatisfy(line -> assertThat(line).contains("'slow'", "java.lang.String", "4 s",
                        "WatchdogTest.stay"))
                .anySatisfy(line -> assertThat(line).contains("'slow'", "1 messages waiting", "4 s"));
    }

    @Test
    void timesAreMoreThanZero() {
        assertThatThrownBy(() -> Watchdog.none().stuckAfter(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll("stuckAfter", "PT0S");
        assertThatThrownBy(() -> Watchdog.none().laggingAfter(Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("laggingAfter");
    }
}
