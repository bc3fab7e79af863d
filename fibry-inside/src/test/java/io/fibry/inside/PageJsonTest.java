package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorState;
import io.fibry.Counters;
import io.fibry.dump.ActorDump;
import io.fibry.dump.DumpSection;
import io.fibry.dump.HandlerTotals;
import io.fibry.dump.LimitUse;
import io.fibry.dump.ScopeDump;
import io.fibry.dump.WaitChain;
import io.fibry.dump.Work;
import io.fibry.event.Lagging;
import io.fibry.event.Undelivered.Cause;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the page gets, of dumps made by hand. */
class PageJsonTest {
    private static final Counters NONE = new Counters(0, 0, 0, 0, 0, 0);
    private static final WaitChain BEHIND = new WaitChain(List.of("a", "b"), 0, WaitChain.Ending.BEHIND, "");

    private final EventFeed feed = new EventFeed(new ManualTime());
    private final SampleSeries series = new SampleSeries("run");
    private long now;

    private static ScopeDump scope(List<HandlerTotals> handlers, List<ActorDump> shown, ScopeDump... inner) {
        return new ScopeDump("root", ScopeDump.State.OPEN, true, shown.size(), 0, shown.size(), 0, NONE,
                Map.of(Cause.STOPPED, 7L), List.of(), List.of(new LimitUse("OPEN_ASKS", 3, 4, 2)),
                0, 0, 0,
                handlers, shown,
                List.of(new DumpSection("pool", List.of("name", "free"), List.of(List.of("db", "3")))),
                List.of(inner));
    }

    private static ActorDump actor(String name, String handler, int seconds, String... waitsFor) {
        var work = new Work(Optional.empty(), Optional.of(Duration.ofSeconds(seconds)), "", Optional.empty(),
                List.of());
        return new ActorDump(name, handler, ActorState.BUSY, 1, 0, Optional.of(Duration.ofSeconds(seconds)),
                NONE, List.of(work), List.of(waitsFor), Optional.empty(), 0, 0, 0, 0);
    }

    private static HandlerTotals totals(String handler) {
        return new HandlerTotals(handler, 1, 0, 1, 1, 1, 0, 0);
    }

    private Sample sample(ScopeDump scope, WaitChain... waits) {
        now += Duration.ofSeconds(1).toNanos();
        return series.next(Dumps.of(Instant.EPOCH.plusNanos(now), scope, waits), now, 1_000);
    }

    private String json(Sample sample) {
        return PageJson.now(sample, 0, 0, feed, 0, 0);
    }

    private static int count(String text, String part) {
        return text.split(java.util.regex.Pattern.quote(part), -1).length - 1;
    }

    @Promise("54.1")
    @Test
    void aCycleHasTheActorForWhichItsLastOneWaits() {
        var cycle = new WaitChain(List.of("a", "b", "c"), 12, WaitChain.Ending.CYCLE, "");
        var blocked =
                new WaitChain(List.of("x", "y", "z"), 0, WaitChain.Ending.BLOCKED,
                        "shop.Till.pay(Till.java:7)");
        var json = json(sample(scope(List.of(), List.of(actor("c", "C", 1, "b"))), cycle, blocked, BEHIND));
        assertThat(json).contains("\"actors\":[\"a\",\"b\",\"c\"],\"others\":12,\"ending\":\"cycle\","
                + "\"place\":\"\",\"near\":true,\"several\":false,\"closes\":1}",
                "\"ending\":\"blocked\",\"place\":\"Till.java:7\",\"near\":true,\"several\":false}",
                "\"ending\":\"behind\",\"place\":\"\",\"near\":false,\"several\":false}");
    }

    @Promise("54.1")
    @Test
    void aChainOfNamesThatAreInSeveralScopesSaysSo() {
        var inner = scope(List.of(), List.of(actor("b", "B", 1), actor("c", "C", 1)));
        var chain = new WaitChain(List.of("c", "d"), 0, WaitChain.Ending.BEHIND, "");
        var json = json(sample(scope(List.of(), List.of(actor("b", "B", 1)), inner), BEHIND, chain));
        assertThat(json).contains("[\"a\",\"b\"],\"others\":0,\"ending\":\"behind\",\"place\":\"\","
                + "\"near\":false,\"several\":true", "\"several\":false");
    }

    @Promise("54.1")
    @Test
    void whateverANameContainsIsOneText() {
        var name = "a\"b\\c\nd\u0000e\u007f<\u2028\uD83D";
        assertThat(json(sample(Dumps.scope(name, 0, 0, 0))))
                .contains("\"a\\\"b\\\\c\\u000ad\\u0000e\\u007f\\u003c\\u2028\\ud83d\"");
    }

    @Promise("54.1")
    @Test
    void aScopeHasItsLimitsAndItsLosses() {
        var row = sample(scope(List.of(), List.of())).scopes().getFirst();
        assertThat(PageJson.actors(row, 0)).contains("\"lost\":{\"stopped\":7}",
                "{\"what\":\"open asks\",\"taken\":3,\"most\":4,\"heldBack\":2}");
    }

    @Promise("54.1")
    @Test
    void whatOthersAddToADumpIsInASampleUpToALimit() {
        assertThat(json(sample(scope(List.of(), List.of())))).contains("\"sections\":[{\"scope\":\"root\","
                + "\"title\":\"pool\",\"columns\":[\"name\",\"free\"],\"rows\":[[\"db\",\"3\"]],\"moreRows\":0}]");
        var long60 = new DumpSection("long", List.of("n"),
                IntStream.range(0, 60).mapToObj(i -> List.of("row " + i)).toList());
        var inner = IntStream.range(0, 30)
                .mapToObj(i -> new ScopeDump("s" + i, ScopeDump.State.OPEN, true, 0, 0, 0, 0,
                        NONE, Map.of(), List.of(), List.of(), 0, 0, 0, List.of(), List.of(), List.of(long60),
                        List.of()))
                .toArray(ScopeDump[]::new);
        var json = json(sample(scope(List.of(), List.of(), inner)));
        assertThat(count(json, "\"moreRows\":10")).isEqualTo(19);
        assertThat(json).contains("row 49", "\"moreSections\":11").doesNotContain("row 50");
    }

    @Promise("54.1")
    @Test
    void ofLongListsASampleHasThePartsThatWerePromised() {
        var actors = IntStream.range(0, 60).mapToObj(i -> actor("actor " + i, "H" + i, 1 + i)).toList();
        var handlers = IntStream.range(0, 60).mapToObj(i -> totals("H" + i)).toList();
        var inner = IntStream.range(0, 200).mapToObj(i -> Dumps.scope("inner", 0, 0, 0))
                .toArray(ScopeDump[]::new);
        var waits = IntStream.range(0, 47).mapToObj(i -> BEHIND).toArray(WaitChain[]::new);
        var sample = sample(scope(handlers, actors, inner), waits);
        assertThat(sample.handlers()).hasSize(20);
        var json = json(sample);
        assertThat(count(json, "\"behind\"")).isEqualTo(30);
        assertThat(json).contains("\"moreWaits\":17", "\"allScopes\":201");
        assertThat(count(json, "\"inner\"")).as("with the root 100").isEqualTo(99);
        assertThat(count(PageJson.actors(sample.scopes().getFirst(), 0), "\"waitsFor\":")).isEqualTo(25);
        assertThat(count(PageJson.actors(sample.scopes().getFirst(), 50), "\"waitsFor\":")).isEqualTo(10);
    }

    @Promise("54.1")
    @Test
    void theSlowestHandlerIsTheFirstAndWhatTheLibraryDoesIsNone() {
        var actors = new ArrayList<>(List.of(actor("slow", "Slow", 1), actor("slower", "Slow", 9),
                actor("slow again", "Slow", 2), actor("fast", "Fast", 1),
                actor("reader", "io.fibry.internal.net.Reader", 99)));
        var sample = sample(scope(List.of(totals("Fast"), totals("Slow"),
                totals("io.fibry.internal.net.Reader")), actors));
        assertThat(sample.handlers()).extracting(Sample.HandlerRow::actor).containsExactly("slower", "fast");
        assertThat(sample.now().oldest()).isEqualTo(99_000);
        actors.addLast(actor("last", "Fast", 1));
        assertThat(sample(scope(List.of(), actors)).now().oldest()).isEqualTo(99_000);
    }

    @Promise({"54.1", "54.8"})
    @Test
    void thePageGetsOnlyWhatItDoesNotHave() {
        for (int i = 0; i < 3; i++) {
            feed.on(new Lagging("actor " + i, i, Duration.ofSeconds(1)));
        }
        sample(scope(List.of(), List.of()));
        var json = PageJson.now(sample(scope(List.of(), List.of())), 1, 0, feed, 2, 0);
        assertThat(json).contains("\"points\":[[2,", "\"events\":[[3,").doesNotContain("actor 1");
    }
}
