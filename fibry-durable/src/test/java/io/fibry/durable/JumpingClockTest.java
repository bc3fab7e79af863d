package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.KilledBank.Lie;
import io.fibry.durable.KilledBank.Tick;
import io.fibry.durable.KilledBank.Ticks;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.JumpingTime;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The clock is put forward and back while durable actors are at work. */
class JumpingClockTest {
    private static final Instant START = Instant.parse("2026-03-02T10:00:30Z");

    private final ManualTime timers = new ManualTime(START, Duration.ofSeconds(60));
    private final JumpingTime time = new JumpingTime(timers, Duration.ZERO);
    private final DurableStore store = DurableStore.inMemory();
    private final ActorScope scope = ActorSystem.configure("test").time(time).open();

    @AfterEach
    void close() {
        scope.close();
        store.close();
    }

    @Test
    @Promise("67.1")
    void aReminderWaitsForItsTimeWhereTheClockIsPutBack() throws Exception {
        var accounts = Bank.open(scope, store);
        Waits.on(accounts.sendMessageReturn(new Bank.Later("ann", START.plusSeconds(20), 1)));
        timers.advance(Duration.ofSeconds(10));
        time.jump(Duration.ofSeconds(-5));
        timers.advance(Duration.ofMillis(14_999));
        assertThat(cents(accounts, "ann")).isZero();
        await("it comes", () -> cents(accounts, "ann") == 1);
        Waits.on(accounts.sendMessageReturn(new Bank.Later("bob", START.plusSeconds(40), 1)));
        time.jump(Duration.ofHours(-2));
        timers.advance(Duration.ofHours(1));
        assertThat(cents(accounts, "bob")).isZero();
        time.jump(Duration.ZERO);
        await("it comes when the clock is right again", () -> cents(accounts, "bob") == 1);
        timers.advance(Duration.ofHours(1));
        assertThat(cents(accounts, "bob")).isOne();
    }

    @Test
    @Promise("67.4")
    void aCalendarComesOnceForTheHoursByWhichTheClockIsAhead() throws Exception {
        var ticks = KilledBank.ticks(scope, store, time, Lie.NONE);
        Waits.on(ticks.sendMessageReturn(new Tick("minute", Tick.Kind.SET)));
        await("it comes", () -> look(ticks).come() == 1);
        time.jump(Duration.ofHours(5));
        await("it comes for the hours", () -> look(ticks).come() == 2);
        time.jump(Duration.ZERO);
        timers.advance(Duration.ofHours(4));
        assertThat(look(ticks).come()).isEqualTo(2);
        timers.advance(Duration.ofHours(1));
        await("it goes on", () -> look(ticks).come() > 2);
        assertThat(look(ticks).wrong()).isEmpty();
    }

    @Test
    @Promise("67.4")
    void aCalendarDoesNotComeAgainIfTheClockIsPutBackWhileItIsHandled() throws Exception {
        var bells = Durable.stateOnly(store, "bells", Long.class, 0L).keyed(scope, String.class, Long.class,
                message -> "bell", (self, message) -> {
                    switch (message) {
                        case "set" -> self.remind("bell", KilledBank.SCHEDULES.get("minute"), "ring");
                        case "ring" -> {
                            time.jump(Duration.ofHours(-5));
                            self.persist(self.state() + 1);
                        }
                        default -> {
                        }
                    }
                    return self.state();
                });
        Waits.on(bells.sendMessageReturn("set"));
        await("it comes", () -> Waits.on(bells.sendMessageReturn("look")) == 1);
        timers.advance(Duration.ofMinutes(10));
        assertThat(Waits.on(bells.sendMessageReturn("look"))).isOne();
    }

    /** What failed comes again after a pause, and not before the time at which it came first. */
    @Test
    @Promise({"67.1", "94.3"})
    void whatFailsWhileTheClockIsPutBackIsNotTriedBeforeItsTime() throws Exception {
        var tries = new AtomicInteger();
        var works = DurableQueue.of(store, "works", Long.class);
        works.start(scope, 1, task -> {
            if (tries.incrementAndGet() == 1) {
                time.jump(Duration.ofHours(-5));
                throw new IllegalStateException("on purpose");
            }
        });
        works.handIn(Map.of("a", 1L), START.plusSeconds(10));
        await("it is tried", () -> tries.get() == 1);
        timers.advance(Duration.ofMinutes(10));
        assertThat(tries).hasValue(1);
        time.jump(Duration.ZERO);
        await("it is tried again", () -> tries.get() == 2);
    }

    @Test
    @Promise("91.1")
    void whatIsParkedIsReadAgainWhereTheClockIsPutBack() throws Exception {
        var works = DurableQueue.of(store, "works", Long.class).parkAfter(1);
        time.jump(Duration.ofDays(300));
        works.start(scope, 1, task -> {
            throw new IllegalStateException("on purpose");
        });
        works.handIn(Map.of("a", 1L), START);
        await("it is parked", () -> parked() == 1);
        time.jump(Duration.ZERO);
        assertThat(works.keys().drop(works.keys().parked(Optional.empty(), 10).getFirst())).isTrue();
        await("it is not any more", () -> parked() == 0);
    }

    private double parked() {
        return store.figures().stream().filter(figure -> figure.name().equals("parked"))
                .mapToDouble(DurableStore.Figure::value).sum();
    }

    /** Moves the time, second by second. */
    private void await(String what, Callable<Boolean> state) {
        Waits.until(what, () -> {
            timers.advance(Duration.ofSeconds(1));
            try {
                return state.call();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
    }

    private static long cents(KeyedActors<String, Bank.Command, Bank.Answer> accounts, String account)
            throws Exception {
        return Waits.on(accounts.sendMessageReturn(new Bank.Look(account))).cents();
    }

    private static Ticks look(KeyedActors<String, Tick, Ticks> ticks) throws Exception {
        return Waits.on(ticks.sendMessageReturn(new Tick("minute", Tick.Kind.LOOK)));
    }
}
