package io.fibry.dump;

import io.fibry.ActorState;
import io.fibry.Counters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.StringJoiner;

/** Writes a dump as text for people. */
final class DumpText {
    private static final String STEP = "  ";

    private final StringBuilder text = new StringBuilder();

    String summary(Dump dump) {
        return "Dump of scope '" + dump.scope().name() + "' at " + dump.takenAt() + ": "
                + count(dump.scope().allActors(), "actor")
                + ", " + count(dump.scope().allWaiting(), "message") + " waiting, "
                + count(dump.waits().size(), "chain")
                + " of waiting actors";
    }

    String dump(Dump dump) {
        line(0, summary(dump));
        line(0, "taken in " + time(dump.took()) + " on Java " + dump.java() + " with "
                + count(dump.processors(), "processor") + "; timers set: " + dump.timers());
        if (!dump.waits().isEmpty()) {
            text.append('\n');
            line(0, "Actors that wait for actors:");
            dump.waits().forEach(this::chain);
        }
        scope(dump.scope(), 0);
        return text.toString();
    }

    private void chain(WaitChain chain) {
        var path = new StringJoiner("' -> '", "'", "'");
        chain.actors().forEach(path::add);
        line(1, path + switch (chain.ending()) {
            case RUNS -> ", which runs";
            case BLOCKED -> ", which waits for something that is no actor";
            case BEHIND -> ", which has not begun with that message";
            case CYCLE -> ", which is in the chain already";
        } + (chain.place().isEmpty() ? "" : " at " + chain.place())
                + (chain.others() == 0 ? ""
                        : String.format(Locale.ROOT, "; %,d more wait for it", chain.others())));
        if (chain.isOneStepFromCycle()) {
            line(2, "one step from a cycle: if what '" + chain.actors().getLast()
                    + "' waits for depends on an actor before it, none of them goes on");
        }
    }

    private void scope(ScopeDump scope, int depth) {
        text.append('\n');
        line(depth, "Scope '" + scope.name() + "' (" + lower(scope.state()) + "): "
                + count(scope.actors(), "actor")
                + (scope.actors() == 0 ? ""
                        : ", of which " + scope.idle() + " idle and " + scope.busy() + " busy")
                + "; "
                + count(scope.waiting(), "message") + " waiting; so far " + counters(scope.counters()));
        if (!scope.listsAll()) {
            line(depth + 1,
                    "The root scope lists only actors with names. To see the others, make actors in a scope of their own, or"
                            + " set a watchdog by ActorSystem.configure.");
        }
        if (!scope.lost().isEmpty()) {
            var lost = new StringJoiner(", ");
            scope.lost().forEach((cause, messages) -> lost.add(messages + " " + lower(cause)));
            line(depth + 1, "lost: " + lost);
        }
        scope.firstLost().forEach(each -> line(depth + 2, each));
        for (var limit : scope.limits()) {
            line(depth + 1,
                    "limit of " + lower(limit.what()) + ": " + limit.taken() + " of " + limit.most()
                            + " taken, "
                            + limit.heldBack() + " held back");
        }
        note(depth, scope.jobs(), "scheduled job", "");
        note(depth, scope.kept(), "message", " kept for names that no actor has");
        note(depth, scope.abandoned(), "abandoned thread", " still running");
        if (!scope.handlers().isEmpty()) {
            line(depth + 1, "by handler:");
            for (var each : scope.handlers()) {
                line(depth + 2,
                        each.handler() + ": " + count(each.actors(), "actor") + ", " + each.idle() + " idle, "
                                + each.busy()
                                + " busy; " + count(each.waiting(), "message") + " waiting, " + each.most()
                                + " at most; " + each.handled()
                                + " handled, " + each.failed() + " failed");
            }
        }
        if (!scope.shown().isEmpty()) {
            line(depth + 1,
                    scope.shown().size() < scope.actors()
                            ? "the actors with most to do:" : "actors:");
            scope.shown().forEach(each -> actor(each, depth + 2));
        }
        scope.sections().forEach(each -> section(each, depth + 1));
        scope.scopes().forEach(each -> scope(each, depth + 1));
    }

    private void section(DumpSection section, int depth) {
        line(depth, section.title());
        var lines = new ArrayList<>(section.rows());
        lines.addFirst(section.columns());
        for (var line : section.columns().isEmpty() ? List.<List<String>>of() : lines) {
            var cells = new StringBuilder();
            for (int column = 0; column < line.size(); column++) {
                var cell = line.get(column);
                cells.append(cell).repeat(' ', width(lines, column) - cell.length() + 2);
            }
            line(depth + 1, cells.toString().stripTrailing());
        }
    }

    private static int width(List<List<String>> lines, int column) {
        return lines.stream().mapToInt(line -> line.get(column).length()).max().orElse(0);
    }

    private void note(int depth, int number, String what, String how) {
        if (number > 0) {
            line(depth + 1, count(number, what) + how);
        }
    }

    private void actor(ActorDump actor, int depth) {
        var parts = new StringJoiner(", ");
        parts.add("'" + actor.name() + "' (" + actor.handler() + ") " + lower(actor.state()));
        if (actor.waiting() > 0) {
            parts.add(actor.waiting() + " waiting"
                    + actor.firstWaits().map(time -> ", the first for at least " + time(time)).orElse(""));
        }
        addIfAny(parts, actor.putAside(), "put aside");
        addIfAny(parts, actor.owed(), actor.owed() == 1 ? "reply owed" : "replies owed");
        addIfAny(parts, actor.children(), actor.children() == 1 ? "child" : "children");
        addIfAny(parts, actor.timers(), actor.timers() == 1 ? "timer" : "timers");
        addIfAny(parts, actor.restarts(), actor.restarts() == 1 ? "restart" : "restarts");
        actor.parent().ifPresent(parent -> parts.add("child of '" + parent + "'"));
        line(depth, parts + "; " + counters(actor.counters()));
        if (!actor.waitsFor().isEmpty()) {
            line(depth + 1, "waits for '" + String.join("' and '", actor.waitsFor()) + "'");
        }
        for (var work : actor.work()) {
            work(work, depth + 1, actor.state());
        }
    }

    private void work(Work work, int depth, ActorState state) {
        line(depth, (state == ActorState.STOPPING ? "stops, " : "works")
                + work.message().map(message -> " on a " + message).orElse("")
                + work.lasts().map(time -> " for at least " + time(time)).orElse("")
                + (work.thread().isEmpty() ? "" : " on thread '" + work.thread() + "'")
                + work.threadState().map(known -> " (" + lower(known) + ")").orElse(""));
        stack(work.stack(), depth + 1);
    }

    private void stack(List<StackTraceElement> stack, int depth) {
        for (var frame : stack) {
            line(depth, "at " + frame);
        }
    }

    private void line(int depth, String content) {
        text.append(STEP.repeat(depth)).append(content).append('\n');
    }

    private static String counters(Counters counters) {
        var parts = new StringJoiner(", ");
        parts.add(counters.handled() + " handled");
        addIfAny(parts, counters.failed(), "failed");
        addIfAny(parts, counters.expired(), "expired");
        addIfAny(parts, counters.dropped(), "dropped");
        addIfAny(parts, counters.refused(), "refused");
        addIfAny(parts, counters.undelivered(), "undelivered");
        return parts.toString();
    }

    private static void addIfAny(StringJoiner parts, long number, String what) {
        if (number > 0) {
            parts.add(number + " " + what);
        }
    }

    private static String count(long number, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", number, what, number == 1 ? "" : "s");
    }

    private static String lower(Enum<?> constant) {
        return lower(constant.name());
    }

    private static String lower(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Returns a time with a unit that suits it: "12 ms", "3.4 s", "2 h 5 min". */
    static String time(Duration time) {
        var millis = time.toMillis();
        if (millis < 1) {
            return time.toNanos() / 1_000 + " µs";
        }
        if (millis < 1_000) {
            return millis + " ms";
        }
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1e3);
        }
        return time.toHours() > 0 ? time.toHours() + " h " + time.toMinutesPart() + " min"
                : time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }
}
