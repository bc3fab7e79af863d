package io.fibry.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.AskTimeoutException;
import io.fibry.FailurePolicy;
import io.fibry.Stereotypes;
import io.fibry.event.Undelivered.Cause;
import io.fibry.measure.MeasureOptions;
import io.fibry.measure.MeasuredGroup;
import io.fibry.measure.MeasuredScope;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Garbage;
import io.fibry.testing.LogsErrors;
import io.fibry.testing.Promise;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Metrics;
import io.micrometer.core.instrument.MockClock;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.lang.ref.WeakReference;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class FibryMetersTest {
    private static final MeasureOptions EACH =
            MeasureOptions.defaults().withOneOf(1).withGrouping(MeasureOptions.BY_NAME);

    private final ManualTime time = new ManualTime(Instant.EPOCH, Duration.ZERO);
    private final MockClock clock = new MockClock();
    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT, new PrometheusRegistry(), clock);
    private final FibryMeters meters = FibryMeters.of(registry);

    private ActorScope shop(Strategy strategy) {
        return ActorSystem.configure("shop").strategy(strategy.create()).time(time).measures(meters, EACH)
                .open();
    }

    private static ActorScope open(String name, FibryMeters meters) {
        return ActorSystem.configure(name).measures(meters, EACH).open();
    }

    /** Lets the numbers of the gauges be counted again. */
    private String scrape() {
        clock.add(5, TimeUnit.SECONDS);
        return registry.scrape();
    }

    @Promise("55.1")
    @EveryStrategy
    void whatIsMeasuredIsScraped(Strategy strategy) throws Exception {
        var begun = new CountDownLatch(1);
        var open = new CountDownLatch(1);
        try (var scope = shop(strategy)) {
            var stopped = scope.named("door-1").newActor((String each) -> {
            });
            stopped.askExit();
            Waits.stopped(stopped);
            stopped.sendMessage("late");
            stopped.sendMessage("later");
            var bank =
                    scope.named("bank-7").onFailure(FailurePolicy.restart()).newActor((Integer seconds) -> {
                        time.advance(Duration.ofSeconds(seconds));
                        throw new IllegalArgumentException("a failure of the test");
                    });
            bank.sendMessage(3);
            bank.execAndWait(() -> {
            });
            var till = scope.named("till-1").newActorWithReturn((String each) -> {
                begun.countDown();
                Waits.on(open);
                return each;
            });
            var first = Thread.ofPlatform().start(() -> till.sendMessage("first"));
            Waits.on(begun);
            var second = Thread.ofPlatform().start(() -> till.sendMessage("second"));
            Waits.until("it waits", () -> scrape()
                    .contains("fibry_mailbox_depth{actors=\"till\",scope=\"shop\"} 1.0"));
            var asking = Thread.ofPlatform().start(() -> assertThatThrownBy(
                    () -> till.ask("third", Duration.ofSeconds(1)).join())
                    .hasRootCauseInstanceOf(AskTimeoutException.class));
            Waits.until("it waits", () -> scrape()
                    .contains("fibry_mailbox_depth{actors=\"till\",scope=\"shop\"} 2.0"));
            time.advance(Duration.ofSeconds(2));
            Waits.on(asking);
            assertThat(scrape().lines()).contains(
                    "fibry_messages_lost_total{actors=\"door\",cause=\"stopped\",scope=\"shop\"} 2.0",
                    "fibry_messages_lost_total{actors=\"till\",cause=\"full\",scope=\"shop\"} 0.0",
                    "fibry_actor_restarts_total{actors=\"bank\",scope=\"shop\"} 1.0",
                    "fibry_asks_timeouts_total{actors=\"till\",scope=\"shop\"} 1.0",
                    "fibry_asks_timeouts_total{actors=\"bank\",scope=\"shop\"} 0.0",
                    "fibry_actors_live{actors=\"till\",scope=\"shop\"} 1.0",
                    "fibry_actors_live{actors=\"door\",scope=\"shop\"} 0.0",
                    "fibry_actor_run_seconds_count{actors=\"bank\",scope=\"shop\"} 2",
                    "fibry_actor_run_seconds_sum{actors=\"bank\",scope=\"shop\"} 3.0",
                    "fibry_actor_run_seconds_max{actors=\"bank\",scope=\"shop\"} 3.0",
                    "fibry_actor_wait_seconds_count{actors=\"till\",scope=\"shop\"} 1");
            assertThat(scrape()).contains("# TYPE fibry_lanes_rescues_total counter",
                    "fibry_lanes_rescues_total{scope=\"shop\"} ");
            assertThat(scrape()).doesNotContain("till-1", "_bucket");
            open.countDown();
            Waits.on(first);
            Waits.on(second);
            till.execAndWait(() -> {
            });
            assertThat(scrape().lines()).contains(
                    "fibry_actor_wait_seconds_max{actors=\"till\",scope=\"shop\"} 2.0");
        }
    }

    @Promise("55.1")
    @Test
    void aServerOfOursServesThem() throws Exception {
        try (var scope = open("shop", meters);
                var server = Stereotypes.def().embeddedHttpServer(0, exchange -> registry.scrape());
                var client = HttpClient.newHttpClient()) {
            scope.named("till-1").newActorWithReturn((String each) -> each).apply("tea");
            var request =
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/metrics"));
            var answer = client.send(request.build(), BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body().lines())
                    .contains("fibry_actor_run_seconds_count{actors=\"till\",scope=\"shop\"} 1");
        }
    }

    @Promise("55.1")
    @Test
    void actorsBeyondTheBoundShareOneGroup() {
        try (var scope = ActorSystem.configure("shop").measures(meters, EACH.withMaxGroups(1)).open()) {
            var first = scope.named("a").newActor((String each) -> {
            });
            var second = scope.named("b").newActor((String each) -> {
            });
            var third = scope.named("c").newActor((String each) -> {
            });
            assertThat(scrape().lines().filter(line -> line.startsWith("fibry_actors_live")))
                    .containsExactlyInAnyOrder(
                            "fibry_actors_live{actors=\"a\",scope=\"shop\"} 1.0",
                            "fibry_actors_live{actors=\"other\",scope=\"shop\"} 2.0");
            assertThat(first).isNotSameAs(second).isNotSameAs(third);
        }
    }

    /** Each scope has few groups, and one of the name is open all the time. */
    @Promise("55.1")
    @Test
    void scopesOfOneNameShareABound() {
        try (var open = open("session", meters)) {
            var first = open.named("till").newActor((String each) -> {
            });
            for (int i = 0; i < 30; i++) {
                try (var next = open("session", meters)) {
                    for (int j = 0; j < 50; j++) {
                        var lost = next.named(name(50 * i + j)).newActor((String each) -> {
                        });
                        lost.askExit();
                        Waits.stopped(lost);
                        lost.sendMessage("lost");
                    }
                }
            }
            assertThat(scrape().lines().filter(line -> line.startsWith("fibry_actors_live"))).hasSize(1_001);
            assertThat(scrape()).contains(
                    "fibry_messages_lost_total{actors=\"other\",cause=\"stopped\",scope=\"session\"} 501.0");
            assertThat(first.name()).isEqualTo("till");
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    /** A name without digits, since actors are grouped by what is before these. */
    private static String name(int number) {
        return Integer.toString(number + 1_000_000).chars()
                .mapToObj(digit -> String.valueOf((char) ('a' + digit - '0')))
                .collect(Collectors.joining());
    }

    @Promise("55.3")
    @Test
    void aClosedScopeHasNoMeters() {
        try (var scope = open("shop", meters)) {
            scope.named("till").newActorWithReturn((String each) -> each).apply("tea");
            assertThat(registry.getMeters()).isNotEmpty();
        }
        assertThat(registry.getMeters()).isEmpty();
        assertThat(registry.scrape()).doesNotContain("fibry");
    }

    @Promise("55.3")
    @Test
    void scopesOfOneNameShareTheirMeters() {
        try (var one = open("shop", meters)) {
            var lost = one.named("till").newActor((String each) -> {
            });
            var line = "fibry_messages_lost_total{actors=\"till\",cause=\"stopped\",scope=\"shop\"} ";
            for (var closedBefore : List.of("1.0", "2.0")) {
                try (var two = open("shop", meters)) {
                    var alsoLost = two.named("till").newActor((String each) -> {
                    });
                    assertThat(scrape()).contains("fibry_actors_live{actors=\"till\",scope=\"shop\"} 2.0");
                    alsoLost.askExit();
                    Waits.stopped(alsoLost);
                    alsoLost.sendMessage("lost");
                    assertThat(scrape()).contains(line + closedBefore);
                }
                assertThat(scrape()).contains(line + closedBefore,
                        "fibry_actors_live{actors=\"till\",scope=\"shop\"} 1.0");
            }
            lost.askExit();
            Waits.stopped(lost);
            lost.sendMessage("lost");
            assertThat(scrape()).contains(line + "3.0");
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    /** As those of the root scope and of the scope of Spring Boot. */
    @Promise("55.3")
    @Test
    void twoObjectsForOneRegistryRemoveTheirOwnMeters() {
        try (var others = FibryMeters.of(registry); var root = open("all", others)) {
            try (var scope = open("shop", meters)) {
                scope.named("till").newActorWithReturn((String each) -> each).apply("tea");
                assertThat(registry.get("fibry.lanes.rescues").functionCounters()).hasSize(2);
            }
            assertThat(registry.get("fibry.lanes.rescues").tag("scope", root.name()).functionCounters())
                    .hasSize(1);
        }
        assertThat(registry.getMeters()).isEmpty();
    }

    @Promise("55.3")
    @Test
    void aScopeThatWasNotClosedIsCollected() {
        var lost = new WeakReference<>(open("lost", meters));
        Garbage.is(lost);
        try (var scope = open("shop", meters)) {
            scope.named("till").newActorWithReturn((String each) -> each).apply("tea");
            assertThat(scrape()).contains("scope=\"shop\"").doesNotContain("scope=\"lost\"");
        }
        assertThat(meters).hasToString("FibryMeters[]");
    }

    @Promise("55.3")
    @Test
    void closeRemovesTheMetersAndTheScopeGoesOn() {
        try (var scope = open("shop", meters)) {
            var till = scope.named("till").newActorWithReturn((String each) -> each);
            till.apply("tea");
            meters.close();
            meters.close();
            assertThat(registry.getMeters()).isEmpty();
            assertThat(till.apply("coffee")).isEqualTo("coffee");
            scope.named("door").newActorWithReturn((String each) -> each).apply("tea");
            try (var next = open("next", meters)) {
                next.named("till").newActorWithReturn((String each) -> each).apply("tea");
                assertThat(registry.getMeters()).isEmpty();
            }
            assertThat(registry.getMeters()).isEmpty();
        }
    }

    /** A group of a scope that is made by hand. */
    private static final class Till implements MeasuredGroup {
        private long actors;
        private long lost;

        @Override
        public String scope() {
            return "shop";
        }

        @Override
        public String name() {
            return "till";
        }

        @Override
        public long actors() {
            return actors;
        }

        @Override
        public long depth() {
            return actors == 0 ? 0 : 4;
        }

        @Override
        public long lost(Cause cause) {
            return cause == Cause.STOPPED ? lost : 0;
        }

        @Override
        public long restarts() {
            return 0;
        }

        @Override
        public long askTimeouts() {
            return 0;
        }
    }

    private record Shop(Till till, long rescues) implements MeasuredScope {
        @Override
        public String name() {
            return "shop";
        }

        @Override
        public List<MeasuredGroup> groups() {
            return List.of(till);
        }

        @Override
        public void count() {
            till.actors = 3;
        }
    }

    private Till opened(Shop shop) {
        meters.onOpen(shop);
        meters.onGroup(shop.till);
        return shop.till;
    }

    @Promise("55.3")
    @Test
    void whatAClosedScopeHasCountedIsKeptAsItWas() {
        var one = new Shop(new Till(), 0);
        var two = new Shop(new Till(), 0);
        opened(one).lost = 1;
        opened(two).lost = 2;
        var line = "fibry_messages_lost_total{actors=\"till\",cause=\"stopped\",scope=\"shop\"} ";
        assertThat(scrape().lines()).contains(line + "3.0",
                "fibry_actors_live{actors=\"till\",scope=\"shop\"} 6.0",
                "fibry_mailbox_depth{actors=\"till\",scope=\"shop\"} 8.0");
        meters.onClose(two);
        two.till.lost = 100;
        one.till.lost = 5;
        assertThat(scrape().lines()).contains(line + "7.0");
        meters.onClose(one);
        assertThat(registry.getMeters()).isEmpty();
    }

    @Promise("55.3")
    @Test
    void whatACollectedScopeHasCountedIsKept() {
        var one = new Shop(new Till(), 0);
        opened(one).lost = 1;
        var lost = new WeakReference<>(new Shop(new Till(), 0));
        opened(Objects.requireNonNull(lost.get())).lost = 2;
        var line = "fibry_messages_lost_total{actors=\"till\",cause=\"stopped\",scope=\"shop\"} ";
        assertThat(scrape().lines()).contains(line + "3.0");
        Garbage.is(lost);
        assertThat(scrape().lines()).contains(line + "3.0");
        var next = new Shop(new Till(), 0);
        opened(next).lost = 4;
        meters.onClose(one);
        assertThat(scrape().lines()).contains(line + "7.0");
    }

    @Promise({"55.1", "55.3"})
    @Test
    void rescuesAreCountedAlsoWhenTheirScopeIsCollected() {
        var lost = new WeakReference<>(new Shop(new Till(), 5));
        meters.onOpen(Objects.requireNonNull(lost.get()));
        assertThat(scrape().lines()).contains("fibry_lanes_rescues_total{scope=\"shop\"} 5.0");
        Garbage.is(lost);
        assertThat(scrape().lines()).contains("fibry_lanes_rescues_total{scope=\"shop\"} 5.0");
    }

    @Promise("55.1")
    @LogsErrors
    @EveryStrategy
    void aRegistryThatThrowsHarmsNobody(Strategy strategy) {
        var refusals = new AtomicInteger();
        var throwing = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        throwing.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals("fibry.actor.restarts")) {
                    refusals.incrementAndGet();
                    throw new IllegalStateException("a failure of the test");
                }
                return id;
            }
        });
        try (var scope = ActorSystem.configure("shop").strategy(strategy.create())
                .measures(FibryMeters.of(throwing), EACH).open()) {
            var till = scope.named("till").newActorWithReturn((String each) -> each);
            assertThat(till.apply("tea")).isEqualTo("tea");
            assertThat(scope.named("till-2").newActorWithReturn((String each) -> each).apply("tea"))
                    .isEqualTo("tea");
            assertThat(refusals).as("tried once for the group").hasValue(1);
            assertThat(throwing.find("fibry.actor.wait").meter()).as("all meters of a group, or none")
                    .isNull();
        }
    }

    @Promise("55.1")
    @LogsErrors
    @Test
    void aRegistryThatRefusesTheRescuesHasTheOtherMeters() {
        var refusing = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        refusing.config().meterFilter(new MeterFilter() {
            @Override
            public Meter.Id map(Meter.Id id) {
                if (id.getName().equals("fibry.lanes.rescues")) {
                    throw new IllegalStateException("a failure of the test");
                }
                return id;
            }
        });
        try (var scope = open("shop", FibryMeters.of(refusing))) {
            scope.named("till").newActorWithReturn((String each) -> each).apply("tea");
            assertThat(refusing.get("fibry.actor.run").timer().count()).isOne();
        }
        assertThat(refusing.getMeters()).isEmpty();
    }

    /** A scope of which a count takes some time. */
    private final class Slow implements MeasuredScope {
        private final AtomicInteger looks = new AtomicInteger();
        private final Till till = new Till();
        private Duration takes = Duration.ZERO;
        private Runnable meanwhile = () -> {
        };

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public List<MeasuredGroup> groups() {
            return List.of(till);
        }

        @Override
        public void count() {
            looks.incrementAndGet();
            clock.add(takes);
            meanwhile.run();
            till.actors = looks.get();
        }

        @Override
        public long rescues() {
            return 0;
        }
    }

    @Promise("55.3")
    @Test
    void theActorsAreCountedEveryFiveSecondsAtMost() {
        assertCountedEvery(Duration.ofSeconds(5), Duration.ZERO);
    }

    @Promise("55.3")
    @Test
    void aCountThatTakesLongIsMadeLessOften() {
        assertCountedEvery(Duration.ofSeconds(100), Duration.ofSeconds(1));
    }

    private void assertCountedEvery(Duration kept, Duration takes) {
        var scope = new Slow();
        scope.takes = takes;
        var load = new CachedLoad(List.of(new WeakReference<>(scope)), clock);
        load.of("a");
        load.of("b");
        clock.add(kept.minusMillis(1));
        load.of("a");
        assertThat(scope.looks).hasValue(1);
        clock.add(Duration.ofMillis(1));
        load.of("a");
        assertThat(scope.looks).hasValue(2);
    }

    @Promise("55.3")
    @Test
    void oneThreadCountsAndOthersTakeTheLastNumbers() throws Exception {
        var scope = new Slow();
        var load = new CachedLoad(List.of(new WeakReference<>(scope)), clock);
        var seen = new AtomicLong();
        var other = Thread.ofPlatform().unstarted(() -> seen.set(load.of("till").actors()));
        scope.meanwhile = () -> {
            other.start();
            Waits.parked(other);
        };
        load.of("till");
        Waits.on(other);
        assertThat(seen).as("there were no numbers before").hasValue(1);
        assertThat(scope.looks).hasValue(1);
        clock.add(Duration.ofSeconds(5));
        var third = Thread.ofPlatform().unstarted(() -> seen.set(load.of("till").actors()));
        scope.meanwhile = () -> {
            third.start();
            Waits.until("it does not wait", () -> !third.isAlive());
        };
        assertThat(load.of("till").actors()).isEqualTo(2);
        assertThat(seen).as("the last numbers").hasValue(1);
    }

    @Promise("55.1")
    @Test
    void histogramsByChoice() {
        try (var with = FibryMeters.withHistograms(registry); var scope = open("shop", with)) {
            scope.named("till").newActorWithReturn((String each) -> each).apply("tea");
            assertThat(scrape()).contains(
                    "fibry_actor_wait_seconds_bucket{actors=\"till\",scope=\"shop\",le=",
                    "fibry_actor_run_seconds_bucket{actors=\"till\",scope=\"shop\",le=");
        }
    }

    @Promise("55.3")
    @Test
    void theRootScopeHasMetersInTheGlobalRegistry() {
        Metrics.addRegistry(registry);
        try {
            var actor = ActorSystem.named("meter-test-1").newActorWithReturn((String each) -> each);
            assertThat(actor.apply("tea")).isEqualTo("tea");
            assertThat(scrape()).contains(
                    "fibry_actors_live{actors=\"io.fibry.micrometer.FibryMetersTest\",scope=\"root\"} ");
            actor.askExit();
            Waits.stopped(actor);
        } finally {
            Metrics.removeRegistry(registry);
        }
    }

    @Test
    void aRegistryIsNeeded() {
        MeterRegistry none = null;
        assertThatThrownBy(() -> FibryMeters.of(none)).isInstanceOf(NullPointerException.class);
    }
}
