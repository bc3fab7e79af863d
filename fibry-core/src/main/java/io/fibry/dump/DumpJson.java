package io.fibry.dump;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;

/** Writes a dump as one JSON object: each record is an object with the names of its components. */
final class DumpJson {
    private final StringBuilder text = new StringBuilder();
    private String before = "";

    String dump(Dump dump) {
        object(() -> {
            with("takenAt", dump.takenAt());
            with("took", dump.took());
            with("java", dump.java());
            with("processors", dump.processors());
            with("timers", dump.timers());
            name("scope");
            scope(dump.scope());
            array("waits", dump.waits(), this::chain);
        });
        return text.toString();
    }

    private void chain(WaitChain chain) {
        object(() -> {
            array("actors", chain.actors(), this::value);
            with("others", chain.others());
            with("ending", chain.ending());
            with("place", chain.place());
            with("oneStepFromCycle", chain.isOneStepFromCycle());
        });
    }

    private void scope(ScopeDump scope) {
        object(() -> {
            with("name", scope.name());
            with("state", scope.state());
            with("listsAll", scope.listsAll());
            with("actors", scope.actors());
            with("idle", scope.idle());
            with("busy", scope.busy());
            with("waiting", scope.waiting());
            counters("counters", scope.counters());
            counts("lost", scope.lost());
            array("firstLost", scope.firstLost(), this::value);
            array("limits", scope.limits(), this::limit);
            with("jobs", scope.jobs());
            with("kept", scope.kept());
            with("abandoned", scope.abandoned());
            array("handlers", scope.handlers(), this::totals);
            array("shown", scope.shown(), this::actor);
            array("sections", scope.sections(), this::section);
            array("scopes", scope.scopes(), this::scope);
        });
    }

    private void section(DumpSection section) {
        object(() -> {
            with("title", section.title());
            array("columns", section.columns(), this::value);
            array("rows", section.rows(), row -> list(row, this::value));
        });
    }

    private void counters(String name, io.fibry.Counters counters) {
        name(name);
        object(() -> {
            with("handled", counters.handled());
            with("failed", counters.failed());
            with("expired", counters.expired());
            with("dropped", counters.dropped());
            with("refused", counters.refused());
            with("undelivered", counters.undelivered());
        });
    }

    private void counts(String name, Map<? extends Enum<?>, Long> counts) {
        if (!counts.isEmpty()) {
            name(name);
            object(() -> counts.forEach((key, number) -> with(key.name(), number)));
        }
    }

    private void limit(LimitUse limit) {
        object(() -> {
            with("what", limit.what());
            with("taken", limit.taken());
            with("most", limit.most());
            with("heldBack", limit.heldBack());
        });
    }

    private void totals(HandlerTotals totals) {
        object(() -> {
            with("handler", totals.handler());
            with("actors", totals.actors());
            with("idle", totals.idle());
            with("busy", totals.busy());
            with("waiting", totals.waiting());
            with("most", totals.most());
            with("handled", totals.handled());
            with("failed", totals.failed());
        });
    }

    private void actor(ActorDump actor) {
        object(() -> {
            with("name", actor.name());
            with("handler", actor.handler());
            with("state", actor.state());
            with("waiting", actor.waiting());
            with("putAside", actor.putAside());
            with("firstWaits", actor.firstWaits());
            counters("counters", actor.counters());
            array("work", actor.work(), this::work);
            array("waitsFor", actor.waitsFor(), this::value);
            with("parent", actor.parent());
            with("children", actor.children());
            with("timers", actor.timers());
            with("restarts", actor.restarts());
            with("owed", actor.owed());
        });
    }

    private void work(Work work) {
        object(() -> {
            with("message", work.message());
            with("lasts", work.lasts());
            with("thread", work.thread());
            with("threadState", work.threadState());
            array("stack", work.stack(), this::value);
        });
    }

    // ---- JSON. ----

    private interface Content {
        void write();
    }

    private interface Element<T> {
        void write(T element);
    }

    private void object(Content content) {
        text.append('{');
        before = "";
        content.write();
        text.append('}');
        before = ",";
    }

    private <T> void array(String name, Collection<T> elements, Element<? super T> element) {
        if (elements.isEmpty()) {
            return;
        }
        name(name);
        list(elements, element);
    }

    private <T> void list(Collection<T> elements, Element<? super T> element) {
        text.append('[');
        before = "";
        for (var each : elements) {
            text.append(before);
            element.write(each);
            before = ",";
        }
        text.append(']');
        before = ",";
    }

    private void name(String name) {
        text.append(before);
        value(name);
        text.append(':');
        before = ",";
    }

    private void with(String name, Object value) {
        switch (value) {
            case Optional<?> maybe -> maybe.ifPresent(present -> with(name, present));
            case Duration time -> {
                name(name + "Nanos");
                text.append(time.toNanos());
            }
            case Number number -> {
                name(name);
                text.append(number);
            }
            case Boolean flag -> {
                name(name);
                text.append(flag);
            }
            default -> {
                name(name);
                value(value);
            }
        }
    }

    private void value(Object value) {
        text.append('"');
        var content = value.toString();
        for (int i = 0; i < content.length(); i++) {
            var c = content.charAt(i);
            switch (c) {
                case '"', '\\' -> text.append('\\').append(c);
                case '\n' -> text.append("\\n");
                default -> {
                    if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
                        escape(c);
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }

    /** Writes control characters, and surrogates, which may lack their other half, as escapes. */
    private void escape(char c) {
        text.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            text.append(Character.forDigit(c >> shift & 0xf, 16));
        }
    }
}
