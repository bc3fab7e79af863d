package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.fibry.Counters;
import io.fibry.dump.HandlerTotals;
import io.fibry.dump.ScopeDump;
import io.fibry.inside.Sample.ScopeRow;
import io.fibry.testing.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What is computed of two dumps and more. */
class SampleSeriesTest {
    private final SampleSeries series = new SampleSeries("run");
    private Instant now = Instant.parse("2026-11-23T12:00:00Z");

    private Sample after(Duration pause, ScopeDump scope) {
        now = now.plus(pause);
        return series.next(Dumps.of(now, scope), Duration.between(Instant.EPOCH, now).toNanos(), 1_000);
    }

    @Promise("54.1")
    @Test
    void aRateIsTheDifferenceOfTwoSamplesByTheirTime() {
        var first = after(Duration.ZERO, Dumps.scope("root", 0, 1_000, 5));
        assertThat(first.now().handled()).isNaN();
        assertThat(first.now().lost()).isEqualTo(5);
        var second = after(Duration.ofSeconds(2), Dumps.scope("root", 40, 1_100, 6));
        assertThat(second.now().handled()).isEqualTo(50);
        assertThat(second.scopes()).extracting(ScopeRow::handled).containsExactly(50.0);
        assertThat(second.now().lost()).isEqualTo(6);
        assertThat(second.now().oldest()).isEqualTo(2_000);
        assertThat(second.now().waiting()).isEqualTo(40);
        assertThat(second.now().busy()).isOne();
    }

    @Promise("54.1")
    @Test
    void whatAScopeHasLostIsStillLostWhenTheScopeHasEnded() {
        after(Duration.ZERO,
                Dumps.scope("root", 0, 0, 1, Dumps.scope("a", 0, 10, 2), Dumps.scope("b", 0, 10, 0)));
        var second = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 1, Dumps.scope("b", 0, 14, 0)));
        assertThat(second.now().lost()).isEqualTo(3);
        assertThat(second.now().handled()).isEqualTo(4);
        var third = after(Duration.ofSeconds(1),
                Dumps.scope("root", 0, 0, 1, Dumps.scope("a", 0, 3, 1), Dumps.scope("b", 0, 14, 0)));
        assertThat(third.now().lost()).isEqualTo(4);
        assertThat(third.now().handled()).isEqualTo(3);
    }

    @Promise("54.1")
    @Test
    void waitingAndWorkingTimesAreEstimatedByLittlesLaw() {
        long handled = 0;
        var sample = after(Duration.ZERO, Dumps.scope("root", 30, handled, 0));
        for (int i = 0; i < 50; i++) {
            handled += 100;
            sample = after(Duration.ofSeconds(1), Dumps.scope("root", 30, handled, 0));
        }
        assertThat(sample.now().average()).isCloseTo(300, within(0.1));
        assertThat(sample.handlers()).singleElement().satisfies(row -> {
            assertThat(row.each()).isCloseTo(10, within(0.1));
            assertThat(row.handled()).isEqualTo(100);
            assertThat(row.longest()).isEqualTo(1_500);
            assertThat(row.place()).isEqualTo("Till.handle:7");
        });
    }

    /** What is not known is neither zero nor short. */
    @Promise("54.1")
    @Test
    void timesThatAreNotKnownAreNoNumbers() {
        assertThat(after(Duration.ZERO, Dumps.unseen("root", 7, 0)).unknown()).isOne();
        var sample = after(Duration.ofSeconds(1), Dumps.unseen("root", 7, 0));
        assertThat(sample.now().oldest()).isNaN();
        assertThat(sample.now().average()).isNaN();
        assertThat(sample.handlers()).isEmpty();
        assertThat(sample.unknown()).isOne();
        sample = after(Duration.ofSeconds(1), Dumps.unseen("root", 7, 100));
        assertThat(sample.unknown()).isZero();
        assertThat(sample.handlers()).singleElement().satisfies(row -> assertThat(row.longest()).isNaN());
        sample = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0));
        assertThat(sample.now().oldest()).isZero();
        assertThat(sample.unknown()).isZero();
        assertThat(sample.pause()).isEqualTo(1_000);
    }

    @Promise("54.1")
    @Test
    void aScopeThatWasOpenedAnewCountsAsANewOne() {
        after(Duration.ZERO, Dumps.scope("root", 0, 100, 9));
        var sample = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 30, 2));
        assertThat(sample.now().lost()).isEqualTo(11);
        assertThat(sample.now().handled()).isEqualTo(30);
        assertThat(sample.scopes()).extracting(ScopeRow::handled).containsExactly(30.0);
    }

    @Promise("54.1")
    @Test
    void theFirstSamplesOfAnAverageWeighTheSame() {
        after(Duration.ZERO, Dumps.scope("root", 0, 0, 0));
        after(Duration.ofSeconds(1), Dumps.scope("root", 10, 100, 0));
        var sample = after(Duration.ofSeconds(1), Dumps.scope("root", 30, 200, 0));
        assertThat(sample.now().average()).isCloseTo(200, within(0.1));
        for (int i = 3; i < 12; i++) {
            sample = after(Duration.ofSeconds(1), Dumps.scope("root", 30, i * 100L, 0));
        }
        assertThat(sample.now().average()).as("ten samples or so: the first ones weigh less and less")
                .isBetween(285.0, 299.0);
    }

    @Promise("54.1")
    @Test
    void fiveMinutesAreKept() {
        for (int i = 0; i < 700; i++) {
            after(Duration.ofSeconds(1), Dumps.scope("root", 0, i, 0));
        }
        var sample = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0));
        assertThat(sample.points()).hasSize(300);
        assertThat(sample.now().number()).isEqualTo(701);
        assertThat(after(Duration.ofMinutes(6), Dumps.scope("root", 0, 0, 0)).points()).hasSize(1);
    }

    @Promise("54.1")
    @Test
    void scopesOfOneNameAreToldApart() {
        var sample = after(Duration.ZERO, Dumps.scope("root", 0, 0, 0, Dumps.scope("a", 0, 1, 0),
                Dumps.scope("a", 0, 2, 0, Dumps.scope("a", 0, 3, 0)), Dumps.scope("b", 0, 4, 0)));
        assertThat(sample.scopes()).extracting(ScopeRow::depth).containsExactly(0, 1, 1, 2, 1);
        assertThat(sample.scopes()).extracting(ScopeRow::id).doesNotHaveDuplicates();
        var next = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0, Dumps.scope("a", 0, 5, 0),
                Dumps.scope("a", 0, 2, 0, Dumps.scope("a", 0, 3, 0)), Dumps.scope("b", 0, 4, 0)));
        assertThat(next.scopes()).extracting(ScopeRow::handled).containsExactly(0.0, 4.0, 0.0, 0.0, 0.0);
        assertThat(next.scope(sample.scopes().get(4).id()).orElseThrow().dump().name()).isEqualTo("b");
    }

    /** A dump does not say which of them is which. */
    @Promise("54.1")
    @Test
    void oneOfTwoScopesOfOneNameThatIsClosedCountsNothing() {
        after(Duration.ZERO, Dumps.scope("root", 0, 0, 0, Dumps.scope("shop", 0, 10, 1),
                Dumps.scope("shop", 0, 1_000_000, 5_000, Dumps.scope("till", 0, 7, 2))));
        var closed = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0,
                Dumps.scope("shop", 0, 1_000_000, 5_000, Dumps.scope("till", 0, 7, 2))));
        assertThat(closed.now().lost()).isEqualTo(5_003);
        assertThat(closed.now().handled()).as("unknown, not a million").isNaN();
        assertThat(closed.scopes()).extracting(ScopeRow::handled).containsExactly(0.0, Double.NaN,
                Double.NaN);
        assertThat(closed.handlers()).isEmpty();
        var next = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0,
                Dumps.scope("shop", 0, 1_000_060, 5_001, Dumps.scope("till", 0, 7, 2))));
        assertThat(next.now().handled()).isEqualTo(60);
        assertThat(next.now().lost()).isEqualTo(5_004);
    }

    @Promise("54.1")
    @Test
    void twoScopesOfOneNameInAnotherOrderAreSeenByACounterThatFalls() {
        var few = Dumps.scope("shop", 0, 10, 0);
        var many = Dumps.scope("shop", 0, 1_000_000, 0);
        after(Duration.ZERO, Dumps.scope("root", 0, 0, 0, few, many));
        var turned = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0, many, few));
        assertThat(turned.now().handled()).isNaN();
        var opened = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0, many, few,
                Dumps.scope("shop", 0, 0, 3)));
        assertThat(opened.now().handled()).isNaN();
        assertThat(opened.now().lost()).as("what a new one has lost").isEqualTo(3);
    }

    private static ScopeDump[] sessions(long... handled) {
        return LongStream.of(handled).mapToObj(each -> Dumps.scope("session", 1, each, 0))
                .toArray(ScopeDump[]::new);
    }

    /** As of a server that opens a scope for each session. */
    @Promise("54.1")
    @Test
    void scopesOfOneNameThatComeAndGoHaveARateTogether() {
        after(Duration.ZERO, Dumps.scope("root", 0, 0, 0, sessions(500, 100, 200)));
        var opened = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0, sessions(40, 510, 120, 230)));
        assertThat(opened.now().handled()).isEqualTo(100);
        assertThat(opened.now().average()).isCloseTo(40, within(0.1));
        assertThat(opened.scopes().getLast().handled()).as("which one it is").isNaN();
        var closed = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0, sessions(130, 240, 540)));
        assertThat(closed.now().handled()).as("of the three that are there").isEqualTo(50);
        var unknown = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0, sessions(240)));
        assertThat(unknown.now().handled()).isNaN();
        assertThat(unknown.now().average()).as("that of before is not one of now").isNaN();
        var all = after(Duration.ofSeconds(1), Dumps.scope("root", 0, 0, 0));
        assertThat(all.now().handled()).isZero();
    }

    /** What an actor that has ended had handled is in the counters of its scope alone. */
    private static ScopeDump requests(long handledInAll, HandlerTotals... totals) {
        return new ScopeDump("root", ScopeDump.State.OPEN, true, 0, 0, 0, 0,
                new Counters(handledInAll, 0, 0, 0, 0, 0), Map.of(), List.of(), List.of(), 0, 0, 0,
                List.of(totals), List.of(), List.of(), List.of());
    }

    private static HandlerTotals busy(String handler, long actors, long handled) {
        return new HandlerTotals(handler, actors, 0, actors, 0, 0, handled, 0);
    }

    @Promise("54.1")
    @Test
    void howLongActorsTakeThatComeAndGoIsUnknown() {
        after(Duration.ZERO, requests(1_000, busy("Request", 3, 0), busy("Till", 1, 500)));
        long[] present = {2, 2, 2, 3, 4, 3};
        for (int i = 0; i < present.length; i++) {
            var sample = after(Duration.ofSeconds(1), requests(2_000 + 1_000L * i,
                    busy("Request", present[i], i % 2), busy("Till", 1, 600 + 100L * i)));
            assertThat(sample.unknown()).as("sample " + i).isOne();
            assertThat(sample.handlers()).singleElement().satisfies(row -> {
                assertThat(row.handler()).isEqualTo("Till");
                assertThat(row.each()).isCloseTo(10, within(0.1));
            });
        }
    }

    @Promise("54.1")
    @Test
    void someMoreOrLessOfManyActorsChangeAnEstimateLittle() {
        after(Duration.ZERO, requests(500_000, busy("Device", 1_000, 500_000)));
        var more = after(Duration.ofSeconds(1), requests(510_000, busy("Device", 1_010, 510_000)));
        assertThat(more.handlers().getFirst().handled()).isEqualTo(10_000);
        var less = after(Duration.ofSeconds(1), requests(520_000, busy("Device", 1_009, 519_500)));
        assertThat(less.handlers().getFirst().handled()).isEqualTo(9_500);
        assertThat(less.handlers().getFirst().each()).isBetween(100.0, 110.0);
    }
}
