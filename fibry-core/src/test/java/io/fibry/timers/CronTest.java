package io.fibry.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.testing.Promise;
import io.fibry.time.Schedule;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The times of lines of cron. */
@Tag("once")
class CronTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final LocalTime HALF_PAST_TWO = LocalTime.of(2, 30);

    /** Returns the next times after one of the wall clock in Berlin. */
    private static List<String> next(Schedule cron, String after, int count) {
        var times = new ArrayList<String>();
        var zone = ZoneId.of(cron.calendar().replaceFirst(".* ", ""));
        var time = LocalDateTime.parse(after).atZone(zone).toInstant();
        for (int i = 0; i < count; i++) {
            time = cron.next(time).orElseThrow();
            times.add(time.atZone(zone).toOffsetDateTime().toString());
        }
        return times;
    }

    private static List<String> next(String line, String after, int count) {
        return next(Schedule.cron(line, ZoneOffset.UTC), after, count).stream()
                .map(time -> time.replace("Z", "")).toList();
    }

    @Test
    @Promise("20.14")
    void aLineHasValuesRangesStepsAndNames() {
        assertThat(next("*/20 9-10 * * *", "2026-01-01T00:00", 7)).containsExactly("2026-01-01T09:00",
                "2026-01-01T09:20",
                "2026-01-01T09:40", "2026-01-01T10:00", "2026-01-01T10:20", "2026-01-01T10:40",
                "2026-01-02T09:00");
        assertThat(next("0 9 * * mon-FRI", "2026-01-02T09:00", 2)).containsExactly("2026-01-05T09:00",
                "2026-01-06T09:00");
        assertThat(next("0 0 * FEB,11 SUN", "2026-02-15T00:00", 3))
                .containsExactly("2026-02-22T00:00", "2026-11-01T00:00", "2026-11-08T00:00");
        assertThat(next("0 0 * * 0", "2026-01-01T00:00", 1))
                .isEqualTo(next("0 0 * * 7", "2026-01-01T00:00", 1))
                .containsExactly("2026-01-04T00:00");
        assertThat(next("5/25 0 1 1 *", "2026-01-01T00:00", 3))
                .containsExactly("2026-01-01T00:05", "2026-01-01T00:30", "2026-01-01T00:55");
        assertThat(next("10,40 59 23 31 12 *", "2026-01-01T00:00", 3))
                .containsExactly("2026-12-31T23:59:10", "2026-12-31T23:59:40", "2027-12-31T23:59:10");
        assertThat(next("0 0 13 * FRI", "2026-02-01T00:00", 3)).as("a day that one of the fields names")
                .containsExactly("2026-02-06T00:00", "2026-02-13T00:00", "2026-02-20T00:00");
        assertThat(next("0 0 L * *", "2026-01-31T00:00", 2)).containsExactly("2026-02-28T00:00",
                "2026-03-31T00:00");
        assertThat(next("0 0 15,30L * *", "2028-02-01T00:00", 4)).containsExactly("2028-02-15T00:00",
                "2028-02-29T00:00", "2028-03-15T00:00", "2028-03-30T00:00");
        assertThat(next("0 9 28L,30L * *", "2026-02-01T00:00", 3)).containsExactly("2026-02-28T09:00",
                "2026-03-28T09:00", "2026-03-30T09:00");
        assertThat(next("0 0 15L,L * *", "2026-02-01T00:00", 2)).containsExactly("2026-02-15T00:00",
                "2026-02-28T00:00");
        assertThat(next("0 0 29 2 *", "2096-02-29T00:00", 1)).containsExactly("2104-02-29T00:00");
        assertThat(Schedule.cron("0 0 29 FEB *", BERLIN)).extracting(Schedule::calendar)
                .isEqualTo("0 0 29 FEB * Europe/Berlin");
    }

    @Test
    void aLineThatCannotBeReadSaysWhy() {
        for (var bad : List.of("", "* * * *", "* * * * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *",
                "* * 32 * *",
                "* * * 13 *", "* * * * 8", "5-1 * * * *", "*/0 * * * *", "a * * * *", "* * * JANU *",
                "* * * ANF *",
                "1, * * * *", "-1 * * * *", "1-2-3 * * * *", "1//2 * * * *", "* * 32L * *", "* * L3 * *",
                "0 0 30 2 *",
                "99999999999 * * * *", "* * * * FRI-MON")) {
            assertThatThrownBy(() -> Schedule.cron(bad, BERLIN)).as(bad)
                    .isExactlyInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("not a line of cron: " + bad + "; ");
        }
        assertThatThrownBy(() -> Schedule.daily(LocalTime.of(1, 2, 3, 4), BERLIN))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("whole seconds");
        assertThatThrownBy(() -> Schedule.monthly(32, HALF_PAST_TWO, BERLIN))
                .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("from 1 to 31: 32");
    }

    @Test
    @Promise("20.14")
    void aTimeThatTheClockPassesOverComesWhenItIsPutForward() {
        assertThat(next(Schedule.daily(HALF_PAST_TWO, BERLIN), "2026-03-28T00:00", 3)).containsExactly(
                "2026-03-28T02:30+01:00", "2026-03-29T03:00+02:00", "2026-03-30T02:30+02:00");
        assertThat(next(Schedule.cron("0,10,20 2 * * *", BERLIN), "2026-03-28T02:20", 2))
                .as("several come once")
                .containsExactly("2026-03-29T03:00+02:00", "2026-03-30T02:00+02:00");
        assertThat(next(Schedule.cron("30 * * * *", BERLIN), "2026-03-29T01:00", 3))
                .as("a line for all hours")
                .containsExactly("2026-03-29T01:30+01:00", "2026-03-29T03:30+02:00",
                        "2026-03-29T04:30+02:00");
        assertThat(next(Schedule.daily(LocalTime.NOON, ZoneId.of("Pacific/Apia")), "2011-12-29T00:00", 3))
                .as("a day that is left out")
                .containsExactly("2011-12-29T12:00-10:00", "2011-12-31T00:00+14:00",
                        "2011-12-31T12:00+14:00");
    }

    @Test
    @Promise("20.14")
    void aTimeThatTheClockShowsTwiceCountsTheFirstTime() {
        assertThat(next(Schedule.daily(HALF_PAST_TWO, BERLIN), "2026-10-24T12:00", 2))
                .containsExactly("2026-10-25T02:30+02:00", "2026-10-26T02:30+01:00");
        var second = Instant.parse("2026-10-25T01:10:00Z");
        assertThat(second.atZone(BERLIN).toString()).as("the second time")
                .startsWith("2026-10-25T02:10+01:00");
        assertThat(Schedule.daily(HALF_PAST_TWO, BERLIN).next(second))
                .contains(Instant.parse("2026-10-26T01:30:00Z"));
        assertThat(next(Schedule.cron("*/30 * * * *", BERLIN), "2026-10-25T01:45", 5))
                .as("a line for all hours").containsExactly(
                        "2026-10-25T02:00+02:00", "2026-10-25T02:30+02:00", "2026-10-25T02:00+01:00",
                        "2026-10-25T02:30+01:00",
                        "2026-10-25T03:00+01:00");
    }

    @Test
    @Promise("20.14")
    void daysOfWeeksAndMonths() {
        assertThat(next(Schedule.weekly(DayOfWeek.SUNDAY, LocalTime.of(8, 15, 30), BERLIN),
                "2026-10-18T08:15:30", 2))
                .containsExactly("2026-10-25T08:15:30+01:00", "2026-11-01T08:15:30+01:00");
        assertThat(next(Schedule.monthly(31, LocalTime.MIDNIGHT, ZoneOffset.UTC), "2026-01-31T00:00", 3))
                .containsExactly("2026-02-28T00:00Z", "2026-03-31T00:00Z", "2026-04-30T00:00Z");
        assertThat(next(Schedule.monthly(1, LocalTime.MIDNIGHT, ZoneOffset.UTC), "2026-01-31T00:00", 1))
                .containsExactly("2026-02-01T00:00Z");
    }

    /** A slow search, minute by minute, finds the same times, over the changes of clocks of several zones. */
    @Test
    void theNextTimeIsThatOfASearchThroughAllMinutes() {
        var random = new Random(52);
        var zones =
                List.of("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC");
        for (int round = 0; round < 60; round++) {
            var zone = ZoneId.of(zones.get(round % zones.size()));
            var hours = IntStream.range(0, 24).filter(hour -> random.nextInt(3) == 0).boxed().toList();
            var minutes = IntStream.range(0, 60).filter(minute -> random.nextInt(30) == 0).boxed().toList();
            if (hours.isEmpty() || minutes.isEmpty()) {
                continue;
            }
            boolean isForAll = round % 3 == 0;
            var cron = Schedule.cron(text(minutes) + " " + (isForAll ? "*" : text(hours)) + " * * *", zone);
            var change = zone.getRules().nextTransition(
                    Instant.parse("2026-01-01T00:00:00Z").plus(Duration.ofDays(random.nextInt(300))));
            var from = (change == null ? Instant.EPOCH : change.getInstant()).minus(Duration.ofHours(30));
            var expected = new ArrayList<Instant>();
            for (int minute = 1; minute < 60 * 60; minute++) {
                var time = from.plus(Duration.ofMinutes(minute));
                boolean isFirst = time.atZone(zone).toLocalDateTime().atZone(zone).toInstant().equals(time);
                boolean shows = minutes.contains(time.atZone(zone).getMinute())
                        && (isForAll || (isFirst && hours.contains(time.atZone(zone).getHour())));
                if (shows || (!isForAll && change != null && change.isGap()
                        && time.equals(change.getInstant())
                        && inGap(change.getDateTimeBefore(), change.getDateTimeAfter(), hours, minutes))) {
                    expected.add(time);
                }
            }
            var found = new ArrayList<Instant>();
            for (var time = cron.next(from).orElseThrow(); time
                    .isBefore(from.plus(Duration.ofHours(60))); time = cron.next(time).orElseThrow()) {
                found.add(time);
            }
            assertThat(found).as("%s after %s", cron, from).isEqualTo(expected);
        }
    }

    private static boolean inGap(LocalDateTime from, LocalDateTime to, List<Integer> hours,
            List<Integer> minutes) {
        for (var time = from; time.isBefore(to); time = time.plusMinutes(1)) {
            if (hours.contains(time.getHour()) && minutes.contains(time.getMinute())) {
                return true;
            }
        }
        return false;
    }

    private static String text(List<Integer> values) {
        return values.toString().replaceAll("[\\[\\] ]", "");
    }
}
