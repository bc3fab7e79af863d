package io.fibry.inside;

import io.fibry.ActorState;
import io.fibry.dump.ActorDump;
import io.fibry.dump.DumpSection;
import io.fibry.dump.LimitUse;
import io.fibry.dump.WaitChain;
import io.fibry.event.Undelivered.Cause;
import io.fibry.inside.EventFeed.Entry;
import io.fibry.inside.Sample.HandlerRow;
import io.fibry.inside.Sample.Point;
import io.fibry.inside.Sample.ScopeRow;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Writes what the page asks for. Long lists are written in pages. */
final class PageJson {
    private static final int SCOPES = 100;
    private static final int ACTORS = 25;
    private static final int CHAINS = 30;
    private static final int SECTIONS = 20;
    private static final int ROWS = 50;

    private final JsonText json = new JsonText();

    private PageJson() {
    }

    /** Writes a sample, with the points and the events after a number, and a page of the scopes. */
    static String now(Sample sample, long knownPoint, long fromScope, EventFeed feed, long knownEvent,
            int worklists) {
        var page = new PageJson();
        page.json.object(() -> {
            page.head(sample);
            page.json.array("points", sample.points().stream().filter(each -> each.number() > knownPoint)
                    .toList(), page::point);
            page.scopes(sample, fromScope);
            page.json.array("handlers", sample.handlers(), page::handler);
            var several = sample.dump().waits().isEmpty() ? Set.<String>of() : inSeveralScopes(sample);
            page.json.array("waits", sample.dump().waits().stream().limit(CHAINS).toList(),
                    chain -> page.chain(chain, sample, several));
            page.json.with("unknown", sample.unknown());
            page.json.with("moreWaits", Math.max(0, sample.dump().waits().size() - CHAINS));
            var sections = sample.scopes().stream().flatMap(row -> row.dump().sections().stream()
                    .map(each -> new Added(row.dump().name(), each))).toList();
            page.json.array("sections", sections.stream().limit(SECTIONS).toList(), page::section);
            page.json.with("moreSections", Math.max(0, sections.size() - SECTIONS));
            page.json.with("worklists", worklists);
            page.json.with("feed", feed.since()).with("skipped", feed.skipped());
            page.json.array("events", feed.after(knownEvent), page::event);
        });
        return page.json.toString();
    }

    /** Writes a page of the actors of a scope that have most to do. */
    static String actors(ScopeRow row, long from) {
        var page = new PageJson();
        var shown = row.dump().shown();
        var first = (int) Math.min(from, shown.size());
        page.json.object(() -> {
            page.json.with("id", row.id()).with("name", row.dump().name())
                    .with("actors", row.dump().actors()).with("idle", row.dump().idle())
                    .with("listsAll", row.dump().listsAll()).with("shown", shown.size())
                    .with("from", first);
            page.json.array("limits", row.dump().limits(), page::limit);
            page.json.name("lost").object(() -> row.dump().lost().forEach(page::lost));
            page.json.array("rows", shown.subList(first, Math.min(shown.size(), first + ACTORS)),
                    page::actor);
        });
        return page.json.toString();
    }

    private void head(Sample sample) {
        var dump = sample.dump();
        json.with("run", sample.run()).with("took", Times.millis(dump.took())).with("pause", sample.pause())
                .with("java", dump.java()).with("processors", dump.processors())
                .with("timers", dump.timers());
    }

    private void point(Point point) {
        json.array(() -> json.value(point.number()).value(point.at()).value(point.actors())
                .value(point.busy()).value(point.waiting()).value(point.handled()).value(point.lost())
                .value(point.average()).value(point.oldest()));
    }

    private void scopes(Sample sample, long from) {
        var all = sample.scopes();
        var first = from >= all.size() ? 0 : (int) from;
        json.with("allScopes", all.size()).with("fromScope", first);
        json.array("scopes", all.subList(first, Math.min(all.size(), first + SCOPES)), this::scope);
    }

    private void scope(ScopeRow row) {
        var dump = row.dump();
        json.array(() -> json.value(row.id()).value(row.depth()).value(dump.name())
                .value(words(dump.state())).value(dump.listsAll() ? 1 : 0).value(dump.actors())
                .value(dump.busy()).value(dump.waiting()).value(row.handled()).value(row.lost())
                .value(dump.counters().failed()));
    }

    /** What a program or a module adds to the dump of a scope. */
    private record Added(String scope, DumpSection section) {
    }

    private void section(Added added) {
        var section = added.section();
        json.object(() -> {
            json.with("scope", added.scope()).with("title", section.title());
            json.array("columns", section.columns(), json::value);
            json.array("rows", section.rows().stream().limit(ROWS).toList(),
                    row -> json.array(() -> row.forEach(json::value)));
            json.with("moreRows", Math.max(0, section.rows().size() - ROWS));
        });
    }

    private void lost(Cause cause, long count) {
        json.with(words(cause), count);
    }

    private void limit(LimitUse limit) {
        json.object(() -> json.with("what", words(limit.what())).with("taken", limit.taken())
                .with("most", limit.most()).with("heldBack", limit.heldBack()));
    }

    private void handler(HandlerRow row) {
        json.object(() -> json.with("id", row.id()).with("scope", row.scope())
                .with("handler", ClassNames.shortened(row.handler())).with("type", row.handler())
                .with("actors", row.actors()).with("busy", row.busy()).with("waiting", row.waiting())
                .with("handled", row.handled()).with("each", row.each()).with("longest", row.longest())
                .with("actor", row.actor()).with("place", row.place()));
    }

    /** Returns the names that busy actors of several scopes have, as far as they are shown: a chain has the names alone. */
    private static Set<String> inSeveralScopes(Sample sample) {
        var all = new HashSet<String>();
        return sample.scopes().stream().flatMap(row -> row.dump().shown().stream())
                .filter(actor -> actor.state() != ActorState.IDLE).map(ActorDump::name)
                .filter(name -> !all.add(name)).collect(Collectors.toSet());
    }

    private void chain(WaitChain chain, Sample sample, Set<String> several) {
        json.object(() -> {
            json.array("actors", chain.actors(), json::value).with("others", chain.others())
                    .with("ending", words(chain.ending())).with("place", place(chain.place()))
                    .with("near", chain.isOneStepFromCycle())
                    .with("several", chain.actors().stream().anyMatch(several::contains));
            if (chain.ending() == WaitChain.Ending.CYCLE) {
                json.with("closes", closes(chain, sample));
            }
        });
    }

    /** Returns which actor of a cycle its last one waits for: the first, if that is not known. */
    private static int closes(WaitChain chain, Sample sample) {
        var targets = sample.scopes().stream().flatMap(row -> row.dump().shown().stream())
                .filter(actor -> actor.name().equals(chain.actors().getLast()))
                .flatMap(actor -> actor.waitsFor().stream()).toList();
        return Math.max(0, targets.stream().mapToInt(chain.actors()::indexOf).max().orElse(0));
    }

    /** Returns a method with its line without the package. */
    private static String place(String place) {
        var file = place.lastIndexOf('(');
        return file > 0 && place.endsWith(")") ? place.substring(file + 1, place.length() - 1) : place;
    }

    private void event(Entry entry) {
        json.array(() -> json.value(entry.number()).value(entry.at()).value(entry.line().kind())
                .value(entry.line().actor()).value(entry.line().text()));
    }

    private void actor(ActorDump actor) {
        json.object(() -> {
            json.with("name", actor.name()).with("handler", ClassNames.shortened(actor.handler()))
                    .with("type", actor.handler()).with("state", words(actor.state()))
                    .with("waiting", actor.waiting()).with("handled", actor.counters().handled())
                    .with("failed", actor.counters().failed()).with("restarts", actor.restarts());
            actor.firstWaits().ifPresent(time -> json.with("oldest", Times.millis(time)));
            json.array("waitsFor", actor.waitsFor(), json::value);
            json.array("work", actor.work(), work -> json.object(() -> {
                work.lasts().ifPresent(time -> json.with("lasts", Times.millis(time)));
                work.message().ifPresent(type -> json.with("message", ClassNames.shortened(type)));
                json.with("place", ClassNames.place(work.stack()));
            }));
        });
    }

    private static String words(Enum<?> constant) {
        return words(constant.name());
    }

    private static String words(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
