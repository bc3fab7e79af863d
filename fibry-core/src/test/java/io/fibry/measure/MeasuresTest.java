package io.fibry.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.Actor;
import io.fibry.ActorState;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.ContextCarrier;
import io.fibry.FailurePolicy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeBuilder;
import io.fibry.Watchdog;
import io.fibry.event.ActorEvent;
import io.fibry.event.Stuck;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.Child;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class MeasuresTest {
    private static final MeasureOptions EACH =
            MeasureOptions.defaults().withOneOf(1).withGrouping(MeasureOptions.BY_NAME);
    private static final long SECOND = 1_000_000_000;

    /** It waits for nothing when it moves on. */
    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final Measured measured = new Measured();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch open = new CountDownLatch(1);
    private final List<ActorEvent> events = new CopyOnWriteArrayList<>();

    private ScopeBuilder scope(Strategy strategy) {
        return ActorSystem.configure("shop").strategy(strategy.create()).time(time).listener(events::add)
                .measures(measured, EACH);
    }

    /** Begins a message that lasts until {@link #open}; the thread returned is that of its sender. */
    private <M> Thread occupy(Actor<M, ?> actor, M message) throws InterruptedException {
        var sender = Thread.ofPlatform().start(() -> actor.sendMessage(message));
        Waits.on(begun);
        return sender;
    }

    private void stay() throws InterruptedException {
        begun.countDown();
        Waits.on(open);
    }

    @Promise("51.1")
    @EveryStrategy
    void theRunTimeOfAHandlerIsThatOfTheClockOfTheScope(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).open()) {
            var actor = scope.named("till-1")
                    .newActor((Integer seconds) -> time.advance(Duration.ofSeconds(seconds)));
            actor.sendMessage(3);
            actor.sendMessage(4);
            actor.execAndWait(() -> {
            });
        }
        assertThat(measured.runs("till")).as("two messages and code").containsExactly(3 * SECOND, 4 * SECOND,
                0L);
    }

    @Promise("51.1")
    @EveryStrategy
    void aMessageWaitsFromItsSendUntilItIsTaken(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).open()) {
            var actor = scope.named("till").newActorWithReturn((Integer each) -> {
                stay();
                return each;
            });
            var first = occupy(actor, 1);
            var answer = new ArrayList<Integer>();
            var more = Thread.ofPlatform().start(() -> {
                // These lie in chunks if nothing is carried.
                for (int i = 0; i < 100; i++) {
                    actor.sendMessage(i);
                }
                answer.add(actor.sendMessageReturn(2).join());
            });
            Waits.until("they wait", () -> measured.load("till").depth() >= 101);
            time.advance(Duration.ofSeconds(5));
            open.countDown();
            Waits.on(first);
            Waits.on(more);
            assertThat(answer).containsExactly(2);
        }
        var waits = measured.waits("till");
        assertThat(waits).hasSize(102);
        assertThat(waits.getFirst()).isZero();
        assertThat(waits.subList(1, 102)).as("tells and the ask").containsOnly(5 * SECOND);
    }

    @Promise("51.1")
    @EveryStrategy
    void aHandlerThatFailsIsTimed(Strategy strategy) {
        try (var scope = scope(strategy).open()) {
            var actor = scope.named("till").newActor((Integer seconds) -> {
                time.advance(Duration.ofSeconds(seconds));
                throw new IllegalStateException("fails");
            });
            actor.sendMessage(3);
        }
        assertThat(measured.runs("till")).containsExactly(3 * SECOND);
    }

    @Promise("51.1")
    @EveryStrategy
    void aSampleHasAboutAsManyMessagesAsWished(Strategy strategy) {
        try (var scope = scope(strategy).measures(measured, EACH.withOneOf(10)).open()) {
            var actor = scope.named("till").newActor((Integer each) -> {
            });
            for (int i = 0; i < 10_000; i++) {
                actor.sendMessage(i);
            }
        }
        assertThat(measured.runs("till").size()).as("runs").isBetween(700, 1_400);
        assertThat(measured.waits("till").size()).as("waits").isBetween(700, 1_400);
    }

    @Promise("51.1")
    @EveryStrategy
    void lossesRestartsAndLateAnswersAreCountedInTheGroup(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).open()) {
            var failing = scope.named("failing-1").onFailure(FailurePolicy.restart())
                    .newActor((String message) -> {
                        throw new IllegalStateException(message);
                    });
            failing.sendMessage("one");
            failing.sendMessage("two");
            failing.execAndWait(() -> {
            });
            assertThat(measured.groups.get("failing").restarts()).isEqualTo(2);

            var small = scope.named("small-1").mailbox(MailboxPolicy.bounded(1, OverflowPolicy.reject()))
                    .newActor((Integer each) -> stay());
            var first = occupy(small, 1);
            Waits.until("the first is taken", () -> measured.waits("small").size() == 1);
            small.sendMessage(2);
            small.sendMessage(3);
            var group = measured.groups.get("small");
            assertThat(group.lost(Cause.FULL)).isEqualTo(1);
            assertThat(measured.load("small").depth()).isEqualTo(1);

            var late = small.ask(4, Duration.ofSeconds(1));
            assertThat(late).isCompletedExceptionally();
            open.countDown();
            Waits.on(first);
            small.stop(Duration.ofSeconds(60));
            small.sendMessage(5);
            assertThat(group.lost(Cause.STOPPED)).as("after the end of the actor").isEqualTo(1);
            assertThat(group.lost(Cause.FULL)).as("the ask, too").isEqualTo(2);
            assertThat(group.lost(Cause.CLOSING)).isZero();
        }
    }

    @Promise("51.1")
    @EveryStrategy
    void anAskWithoutAnAnswerInTimeIsCounted(Strategy strategy) throws Exception {
        try (var scope = scope(strategy).open()) {
            var actor = scope.named("slow").newActorWithReturn((Integer each) -> {
                stay();
                return each;
            });
            var first = occupy(actor, 1);
            var failure = new ArrayList<Throwable>();
            var asker = Thread.ofPlatform().start(() -> {
                try {
                    actor.ask(2, Duration.ofSeconds(1)).join();
                } catch (RuntimeException late) {
                    failure.add(late);
                }
            });
            Waits.until("the ask waits", () -> measured.load("slow").depth() == 1);
            Waits.parked(asker);
            time.advance(Duration.ofSeconds(2));
            Waits.on(asker);
            assertThat(failure.getFirst()).hasRootCauseInstanceOf(AskTimeoutException.class);
            assertThat(measured.groups.get("slow").askTimeouts()).isEqualTo(1);
            open.countDown();
            Waits.on(first);
        }
        assertThat(measured.groups.get("slow").askTimeouts()).isEqualTo(1);
    }

    @Promise("51.1")
    @EveryStrategy
    void actorsThatAreAliveAreCountedByGroup(Strategy strategy) {
        try (var scope = scope(strategy).open()) {
            var actors = new ArrayList<Actor<Integer, Void>>();
            for (int i = 0; i < 7; i++) {
                actors.add(scope.named("till-" + i).newActor((Integer each) -> {
                }));
            }
            var other = scope.anonymous().newActor((Integer each) -> {
            });
            assertThat(measured.load("till").actors()).isEqualTo(7);
            assertThat(measured.load(MeasuresTest.class.getName()).actors()).as("by handler").isEqualTo(1);
            actors.getFirst().stop(Duration.ofSeconds(60));
            assertThat(measured.load("till").actors()).isEqualTo(6);
            assertThat(measured.load("till").depth()).isZero();
            assertThat(other.state()).isNotEqualTo(ActorState.STOPPED);
        }
        assertThat(measured.load("till").actors()).isZero();
        assertThat(measured.announced).containsExactly("till", MeasuresTest.class.getName());
        assertThat(measured.closed).containsExactly(measured.scope());
    }

    @Promise("51.5")
    @EveryStrategy
    void groupsAreBounded(Strategy strategy) {
        try (var scope = scope(strategy).measures(measured, EACH.withMaxGroups(2)).open()) {
            for (var name : List.of("a1", "b1", "c1", "a2", "d1", "b2")) {
                scope.named(name).newActor((Integer each) -> {
                }).sendMessage(1);
            }
            assertThat(measured.load("a").actors()).isEqualTo(2);
            assertThat(measured.load("b").actors()).isEqualTo(2);
            assertThat(measured.load(MeasureOptions.OTHER).actors()).isEqualTo(2);
        }
        assertThat(measured.announced).containsExactly("a", "b", MeasureOptions.OTHER);
        assertThat(measured.runs.keySet()).containsExactlyInAnyOrder("a", "b", MeasureOptions.OTHER);
    }

    @Promise("51.5")
    @EveryStrategy
    @LogsErrors
    void actorsWhoseGroupingFailsAreMeasuredAsOthers(Strategy strategy) {
        try (var scope = scope(strategy).measures(measured, EACH.withGrouping((handler, name) -> {
            throw new IllegalStateException("no group");
        })).open()) {
            var actor = scope.named("till").newActorWithReturn((Integer each) -> each + 1);
            assertThat(actor.apply(1)).isEqualTo(2);
        }
        assertThat(measured.announced).containsExactly(MeasureOptions.OTHER);
    }

    @Promise("51.5")
    @EveryStrategy
    void aScopeInsideIsMeasuredWithTheOneAroundItOrByItsOwnListener(Strategy strategy) {
        var own = new Measured();
        try (var scope = scope(strategy).open()) {
            try (var inner = scope.child("inner").open();
                    var apart = scope.child("apart").measures(own, EACH).open()) {
                inner.named("in-1").newActor((Integer each) -> {
                }).sendMessage(1);
                apart.named("apart-1").newActor((Integer each) -> {
                }).sendMessage(1);
                assertThat(measured.load("in").actors()).isEqualTo(1);
                assertThat(own.load("apart").actors()).isEqualTo(1);
            }
            assertThat(measured.closed).isEmpty();
            assertThat(own.closed).hasSize(1);
        }
        assertThat(measured.runs("in")).hasSize(1);
        assertThat(measured.waits("in")).hasSize(1);
        assertThat(own.waits("apart")).hasSize(1);
        assertThat(measured.announced).containsExactly("in");
        assertThat(measured.groups.get("in").scope()).isEqualTo("shop");
    }

    @Promise("51.5")
    @EveryStrategy
    @LogsErrors
    void aListenerThatThrowsHarmsNothing(Strategy strategy) {
        var calls = new AtomicInteger();
        var failing = new MeasureListener() {
            @Override
            public void onOpen(MeasuredScope scope) {
                throw failure();
            }

            @Override
            public void onGroup(MeasuredGroup group) {
                throw failure();
            }

            @Override
            public void onWait(MeasuredGroup group, long nanos) {
                throw failure();
            }

            @Override
            public void onRun(MeasuredGroup group, long nanos) {
                throw failure();
            }

            @Override
            public void onClose(MeasuredScope scope) {
                throw failure();
            }

            private IllegalStateException failure() {
                calls.incrementAndGet();
                return new IllegalStateException("a listener fails");
            }
        };
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        var logger = (Logger) LoggerFactory.getLogger("io.fibry");
        logger.addAppender(lines);
        try (var scope = scope(strategy).measures(failing, EACH).open()) {
            var actor = scope.named("till").newActorWithReturn((Integer each) -> each + 1);
            assertThat(actor.apply(1)).isEqualTo(2);
            assertThat(actor.apply(2)).isEqualTo(3);
            assertThat(actor.counters().failed()).isZero();
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).filteredOn(line -> line.getLevel() == Level.ERROR).singleElement().satisfies(
                line -> assertThat(line.getFormattedMessage())
                        .contains("the listener for the measures of scope 'shop' failed"));
        assertThat(calls).hasValue(7);
        assertThat(events).noneMatch(event -> event.getClass().getSimpleName().equals("Failed"));
    }

    /** A watchdog and a listener both observe the actor, and the messages carry more than a time. */
    @Promise({"51.1", "26.1"})
    @EveryStrategy
    void measuresWatchdogAndCarriersGoTogether(Strategy strategy) throws Exception {
        var local = ThreadLocal.withInitial(() -> "nothing");
        var seen = new CopyOnWriteArrayList<String>();
        try (var scope = scope(strategy).carry(ContextCarrier.of(local)).senderSites(1)
                .watchdog(Watchdog.none().stuckAfter(Duration.ofSeconds(4))).open()) {
            var actor = scope.named("till").newActor((Integer each) -> {
                seen.add(local.get());
                stay();
            });
            var sender = Thread.ofPlatform().start(() -> {
                local.set("context");
                actor.sendMessage(1);
            });
            Waits.on(begun);
            Waits.until("the watchdog reports", () -> {
                time.advance(Duration.ofSeconds(1));
                return events.stream().anyMatch(Stuck.class::isInstance);
            });
            open.countDown();
            Waits.on(sender);
        }
        assertThat(seen).containsExactly("context");
        assertThat(measured.waits("till")).containsExactly(0L);
        assertThat(measured.runs("till").getFirst()).isGreaterThanOrEqualTo(4 * SECOND);
    }

    /** A scope whose messages carry nothing but the time of a sample lets the others pass without. */
    @Promise({"51.1", "26.1"})
    @EveryStrategy
    void whatIsCarriedGoesWithEachMessageWhateverTheSampleIs(Strategy strategy) throws Exception {
        var local = ThreadLocal.withInitial(() -> "nothing");
        var seen = new CopyOnWriteArrayList<String>();
        try (var scope = scope(strategy).measures(measured, EACH.withOneOf(1_000_000))
                .carry(ContextCarrier.of(local)).open()) {
            var actor = scope.named("till").newActor((Integer each) -> {
                seen.add(local.get());
                stay();
            });
            var sender = Thread.ofPlatform().start(() -> {
                local.set("context");
                for (int i = 0; i < 100; i++) { // some of these lie in chunks if nothing is carried
                    actor.sendMessage(i);
                }
            });
            Waits.on(begun);
            open.countDown();
            Waits.on(sender);
        }
        assertThat(seen).hasSize(100).containsOnly("context");
    }

    @Test
    @Promise("51.5")
    void theGroupOfAnActorIsTheClassOfItsHandlerOrThePrefixOfItsName() {
        Runnable lambda = () -> {
        };
        var here = MeasuresTest.class.getName();
        var byHandler = MeasureOptions.BY_HANDLER;
        var byName = MeasureOptions.BY_NAME;
        assertThat(byHandler.apply(lambda.getClass(), Optional.of("till-1"))).isEqualTo(here);
        assertThat(byHandler.apply(Measured.class, Optional.empty())).isEqualTo(Measured.class.getName());
        assertThat(byName.apply(lambda.getClass(), Optional.of("till-1"))).isEqualTo("till");
        assertThat(byName.apply(lambda.getClass(), Optional.of("till/1"))).isEqualTo("till");
        assertThat(byName.apply(lambda.getClass(), Optional.of("till1"))).isEqualTo("till");
        assertThat(byName.apply(lambda.getClass(), Optional.of("till"))).isEqualTo("till");
        assertThat(byName.apply(lambda.getClass(), Optional.of("17"))).isEqualTo(here);
        assertThat(byName.apply(lambda.getClass(), Optional.empty())).isEqualTo(here);
    }

    @Test
    @Promise("51.5")
    void theRootScopeTakesTheListenerThatIsProvidedAsAService(@TempDir Path directory) throws Exception {
        assertThat(Child.run(ProvidedChild.class, List.of(), directory.toString()))
                .contains("ran: till of root", "ran: stock of root", "the end");
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> EACH.withOneOf(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least 1");
        assertThatThrownBy(() -> EACH.withMaxGroups(-1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1");
    }
}
