package io.fibry.time;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The times of a line of cron, as {@link Schedule#cron} describes them. */
final class Cron {
    private static final int SECONDS = 86_400;
    /** A 29th of February is one day of the week after forty years at most. */
    private static final int MOST_DAYS = 41 * 366;
    private static final Pattern PART = Pattern.compile("(?:\\*|(\\w+)(?:-(\\w+))?)(?:/(\\d{1,2}))?");
    private static final List<Field> FIELDS =
            List.of(new Field("second", 0, 59, ""), new Field("minute", 0, 59, ""),
                    new Field("hour", 0, 23, ""), new Field("day of the month", 1, 31, ""),
                    new Field("month", 1, 12, "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"),
                    new Field("day of the week", 0, 7, "MONTUEWEDTHUFRISATSUN"));
    private static final int SECOND = 0;
    private static final int MINUTE = 1;
    private static final int HOUR = 2;
    private static final int DAY = 3;
    private static final int MONTH = 4;
    private static final int WEEKDAY = 5;

    private final String line;
    private final ZoneId zone;
    /** The values of each field. */
    private final long[] bits = new long[FIELDS.size()];
    /** Whether a day counts that one of the two fields of days names. */
    private final boolean anyDayCounts;
    /** The days each of which is the last one of a shorter month. */
    private long orLast;

    /** A field of a line. */
    private record Field(String name, int least, int most, String names) {
    }

    Cron(String line, ZoneId zone) {
        this.line = line;
        this.zone = zone;
        var fields = line.strip().split("\\s+", -1);
        int absent = bits.length - fields.length;
        if (absent != 0 && absent != 1) {
            throw refusal("it has " + fields.length + " fields, and not 5 or 6");
        }
        bits[SECOND] = absent; // second 0
        for (int i = absent; i < bits.length; i++) {
            for (var part : fields[i - absent].split(",", -1)) {
                add(i, part.toUpperCase(Locale.ROOT));
            }
        }
        bits[WEEKDAY] |= (bits[WEEKDAY] & 1) << 7; // Sunday
        anyDayCounts = !fields[DAY - absent].startsWith("*") && !fields[WEEKDAY - absent].startsWith("*");
        after(LocalDate.EPOCH.atStartOfDay());
    }

    private void add(int field, String part) {
        if (field == DAY && part.endsWith("L")) {
            orLast |= 1L << (part.length() == 1 ? 31 : value(field, part.substring(0, part.length() - 1)));
            return;
        }
        var match = PART.matcher(part);
        if (!match.matches()) {
            throw refusal("the " + FIELDS.get(field).name + " is no value, range or step: " + part);
        }
        var step = match.group(3);
        int from = match.group(1) == null ? FIELDS.get(field).least : value(field, match.group(1));
        int to = match.group(2) != null ? value(field, match.group(2))
                : match.group(1) == null || step != null ? FIELDS.get(field).most : from;
        int by = step == null ? 1 : Integer.parseInt(step);
        if (by == 0 || from > to) {
            throw refusal("the " + FIELDS.get(field).name + " has nothing: " + part);
        }
        for (int value = from; value <= to; value += by) {
            bits[field] |= 1L << value;
        }
    }

    private int value(int number, String text) {
        var field = FIELDS.get(number);
        int place = text.length() == 3 ? field.names.indexOf(text) : -1;
        int value = place >= 0 && place % 3 == 0 ? place / 3 + 1
                : text.matches("\\d{1,2}") ? Integer.parseInt(text) : -1;
        if (value < field.least || value > field.most) {
            throw refusal(
                    "the " + field.name + " is not from " + field.least + " to " + field.most + ": " + text);
        }
        return value;
    }

    private IllegalArgumentException refusal(String why) {
        return new IllegalArgumentException("not a line of cron: " + line + "; " + why);
    }

    /** Returns the next time after one. */
    Instant next(Instant after) {
        var rules = zone.getRules();
        if (bits[HOUR] != (1 << 24) - 1) {
            for (var local = LocalDateTime.ofInstant(after, zone);;) {
                local = after(local);
                var change = rules.getTransition(local);
                var time = change != null && change.isGap()
                        ? change.getInstant() : local.atZone(zone).toInstant(); // the first of two
                if (time.isAfter(after)) {
                    return time;
                }
            }
        }
        // All hours: the next time by the clock as it is, unless it changes before.
        var offset = rules.getOffset(after);
        var time = after(LocalDateTime.ofInstant(after, offset)).toInstant(offset);
        var change = rules.nextTransition(after);
        return change == null || time.isBefore(change.getInstant()) ? time : firstFrom(change.getInstant());
    }

    /** Returns the first time from a change of the clock on. */
    private Instant firstFrom(Instant change) {
        var offset = zone.getRules().getOffset(change);
        var time = after(LocalDateTime.ofInstant(change, offset).minusNanos(1)).toInstant(offset);
        return time.equals(change) ? time : next(change);
    }

    /** Returns the next time of a clock that nobody puts forward or back. */
    private LocalDateTime after(LocalDateTime time) {
        int from = time.toLocalTime().toSecondOfDay() + 1;
        var day = time.toLocalDate();
        for (int days = 0; days < MOST_DAYS; days++, day = day.plusDays(1), from = 0) {
            int found = isOn(day) ? second(from) : SECONDS;
            if (found < SECONDS) {
                return day.atStartOfDay().plusSeconds(found);
            }
        }
        throw refusal("such a day never comes");
    }

    private boolean has(int field, int value) {
        return (bits[field] >> value & 1) != 0;
    }

    private boolean isOn(LocalDate day) {
        int number = day.getDayOfMonth();
        var orLater = orLast >> number; // on the last day of a month, the days that it lacks count too
        boolean ofMonth = has(DAY, number) || (number < day.lengthOfMonth() ? orLater & 1 : orLater) != 0;
        boolean ofWeek = has(WEEKDAY, day.getDayOfWeek().getValue());
        return has(MONTH, day.getMonthValue()) && (anyDayCounts ? ofMonth || ofWeek : ofMonth && ofWeek);
    }

    /** Returns the next second of a day, from one on; {@link #SECONDS} if there is none. */
    private int second(int from) {
        int second = from;
        while (second < SECONDS) {
            if (!has(HOUR, second / 3_600)) {
                second = (second / 3_600 + 1) * 3_600;
            } else if (!has(MINUTE, second / 60 % 60)) {
                second = (second / 60 + 1) * 60;
            } else if (!has(SECOND, second % 60)) {
                second++;
            } else {
                break;
            }
        }
        return second;
    }
}
