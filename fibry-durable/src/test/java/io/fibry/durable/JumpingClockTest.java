package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.durable.KilledBank.Lie;
import io.fibry.durable.KilledBank.Tick;
import io.fibry.durable.KilledBank.Ticks;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
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
        Waits.on(accounts.sendMessageReturn(new Bank.Later("bob", START.plusSeconds(20), 1)));
        timers.advance(Duration.ofSeconds(10));
        time.jump(Duration.ofSeconds(-5));
        timers.advance(Duration.ofMillis(14_999));
        assertThat(cents(accounts, "ann")).isZero();
        timers.advance(Duration.ofMillis(1));
        assertThat(cents(accounts, "ann")).isOne();
        Waits.on(accounts.sendMessageReturn(new Bank.Later("bob", START.plusSeconds(40), 1)));
        time.jump(Duration.ofHours(-2));
        timers.advance(Duration.ofHours(1));
        assertThat(cents(accounts, "bob")).as("the reminder at its first time alone").isOne();
        time.jump(Duration.ZERO);
        timers.advance(Duration.ofMinutes(1));
        assertThat(cents(accounts, "bob")).as("it comes when the clock is right again").isEqualTo(2);
        timers.advance(Duration.ofHours(1));
        assertThat(cents(accounts, "bob")).isEqualTo(2);
    }

    @Test
    @Promise("67.4")
    void aCalendarDoesNotComeAgainWhereTheClockIsPutBack() throws Exception {
        var ticks = KilledBank.ticks(scope, store, time, Lie.NONE);
        Waits.on(ticks.sendMessageReturn(new Tick("minute", Tick.Kind.SET)));
        timers.advance(Duration.ofMinutes(3));
        assertThat(look(ticks).come()).isEqualTo(3);
        time.jump(Duration.ofHours(5));
        timers.advance(Duration.ofMinutes(1));
        var ahead = look(ticks).come();
        assertThat(ahead).as("once for the hours, and once for the minute at most").isBetween(4L, 5L);
        time.jump(Duration.ZERO);
        timers.advance(Duration.ofHours(4));
        assertThat(look(ticks).come()).isEqualTo(ahead);
        timers.advance(Duration.ofHours(1).plusMinutes(2));
        assertThat(look(ticks).come()).isBetween(ahead + 2, ahead + 4);
        assertThat(look(ticks).wrong()).isEmpty();
    }

    private static long cents(KeyedActors<String, Bank.Command, Bank.Answer> accounts, String account)
            throws Exception {
        return Waits.on(accounts.sendMessageReturn(new Bank.Look(account))).cents();
    }

    private static Ticks look(KeyedActors<String, Tick, Ticks> ticks) throws Exception {
        return Waits.on(ticks.sendMessageReturn(new Tick("minute", Tick.Kind.LOOK)));
    }
}
