package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.keyed.KeyedActors;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.fibry.time.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reminders that come by the calendar. */
class CalendarTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final ZonedDateTime START = ZonedDateTime.of(2026, 3, 29, 1, 30, 0, 0, BERLIN);

    private final List<String> seen = new CopyOnWriteArrayList<>();

    record Report(String shop, String day) {
    }

    private KeyedActors<String, Report, Long> shops(DurableStore store, ActorScope scope, ManualTime time) {
        return Durable.stateOnly(store, "shops", Long.class, 0L).idle(Duration.ofDays(365)).keyed(scope,
                Report.class,
                Long.class, Report::shop, (self, report) -> {
                    if (report.day().equals("begin")) {
                        self.remind("night", Schedule.daily(LocalTime.of(2, 30), BERLIN),
                                new Report(self.key(), "night"));
                        self.remind("rate",
                                Schedule.fixedRate(Duration.ofHours(1)).startingAfter(Duration.ofHours(1)),
                                new Report(self.key(), "rate"));
                        self.remind("once", Schedule.once(Duration.ofHours(1)),
                                new Report(self.key(), "once"));
                        self.remind("later",
                                Schedule.cron("0 4 * * MON-FRI", BERLIN)
                                        .startingAt(START.plusDays(3).toInstant()),
                                new Report(self.key(), "later"));
                    } else if (report.day().equals("end")) {
                        self.forget("rate");
                    } else if (!report.day().equals("look")) {
                        seen.add(
                                report.day() + " " + LocalDateTime.ofInstant(time.clock().instant(), BERLIN));
                        self.persist(self.state() + 1);
                    }
                    return self.state();
                });
    }

    /** Opens a store that works by the clock of the test. A commit may be slower than this clock is moved. */
    private static DurableStore open(Path file, ManualTime time) throws Exception {
        return DurableStore.of(SqliteJournal.open(file, Duration.ofSeconds(60)),
                new CommitOptions(Duration.ofDays(1)), ActorSystem.configure("store").time(time).open());
    }

    /** Lets the time pass by half hours, at which all of it comes, and waits each time for what is due by then. */
    private void pass(ManualTime time, KeyedActors<String, Report, Long> shops, Duration duration,
            String... due)
            throws Exception {
        for (var left = duration; left.isPositive(); left = left.minusMinutes(30)) {
            time.advance(Duration.ofMinutes(30));
            var now = LocalDateTime.ofInstant(time.clock().instant(), BERLIN);
            for (var each : due) {
                if (!LocalDateTime.parse(each.substring(each.indexOf(' ') + 1)).isAfter(now)) {
                    Waits.until(each + " has come: " + seen, () -> seen.contains(each));
                }
            }
            // The turns before it are committed then, and the next reminders are set.
            Waits.on(shops.sendMessageReturn(new Report("ann", "look")));
        }
        assertThat(seen).containsExactlyInAnyOrder(due);
    }

    @Test
    @Promise("67.4")
    void aCalendarComesAtItsTimesAlsoAfterARestartAndOnceForWhatWasMissed(@TempDir Path folder)
            throws Exception {
        var file = folder.resolve("shops.db");
        var time = new ManualTime(START.toInstant(), Duration.ofSeconds(10));
        try (var store = open(file, time); var scope = ActorSystem.configure("first").time(time).open()) {
            var shops = shops(store, scope, time);
            Waits.on(shops.sendMessageReturn(new Report("ann", "begin")));
            pass(time, shops, Duration.ofMinutes(150), "night 2026-03-29T03:00", "rate 2026-03-29T03:30",
                    "once 2026-03-29T03:30", "rate 2026-03-29T04:30");
            Waits.on(shops.sendMessageReturn(new Report("ann", "end")));
        }
        seen.clear();
        time.advance(Duration.ofDays(11).plusHours(21)); // to two o'clock of a Friday
        try (var store = open(file, time); var scope = ActorSystem.configure("next").time(time).open()) {
            var shops = shops(store, scope, time);
            Waits.until("what was missed has come", () -> seen.size() >= 2);
            pass(time, shops, Duration.ofMinutes(150), "night 2026-04-10T02:00", "later 2026-04-10T02:00",
                    "night 2026-04-10T02:30", "later 2026-04-10T04:00");
        }
    }
}
