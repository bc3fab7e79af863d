package io.fibry.inside;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.Reply;
import io.fibry.dump.Dump;
import io.fibry.dump.DumpOptions;
import io.fibry.event.ActorListener;
import io.fibry.event.Expired;
import io.fibry.event.Lagging;
import io.fibry.event.Restarted;
import io.fibry.event.Started;
import io.fibry.event.Stopped;
import io.fibry.event.Undelivered;
import io.fibry.message.Envelope;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.Cancellable;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When dumps are taken and events are heard, and when not. */
class SamplerTest {
    private final ManualTime time = new ManualTime();
    private final List<DumpOptions> dumps = new ArrayList<>();
    private final List<ActorListener> listeners = new ArrayList<>();
    private Duration cost = Duration.ZERO;
    private boolean fails;
    private final ActorScope scope = ActorSystem.configure("sampling").time(time).open();
    private final EventFeed feed = new EventFeed(time);
    private final Sampler sampling = new Sampler(this::dump, this::listen, feed, time);
    private final Actor<Sampler.Wish, Reply> sampler =
            scope.named("sampler").onExit(sampling::stopWatching).newActorWithReturn(sampling);

    @AfterEach
    void close() {
        scope.stop(Duration.ZERO);
        assertThat(listeners).as("after the end").isEmpty();
    }

    private Dump dump(DumpOptions options) {
        dumps.add(options);
        if (fails) {
            throw new IllegalStateException("no dump");
        }
        if (!cost.isZero()) {
            time.advance(cost);
        }
        return Dumps.of(time.clock().instant(), Dumps.scope("root", 0, 0, 0));
    }

    private Cancellable listen(ActorListener listener) {
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    private Sample look() throws ExecutionException, InterruptedException {
        return sampler.requestWait(new Sampler.Look());
    }

    @Promise("54.8")
    @Test
    void aSampleServesAllWhoAskWithinASecond() throws Exception {
        assertThat(dumps).isEmpty();
        var first = look();
        time.advance(Duration.ofMillis(999));
        assertThat(look()).isSameAs(first);
        assertThat(dumps).hasSize(1);
        time.advance(Duration.ofMillis(1));
        var second = look();
        assertThat(second).isNotSameAs(first);
        assertThat(second.run()).isEqualTo(first.run());
        assertThat(second.points()).hasSize(2);
        assertThat(dumps).hasSize(2).allMatch(each -> each.over().isZero() && each.actors() <= 100);
    }

    @Promise("54.8")
    @Test
    void nothingIsDoneForTenSecondsWithoutAQuestion() throws Exception {
        var first = look();
        assertThat(listeners).containsExactly(feed);
        time.advance(Duration.ofMillis(9_999));
        look();
        time.advance(Duration.ofMillis(9_999));
        assertThat(listeners).hasSize(1);
        assertThat(dumps).hasSize(2);
        time.advance(Duration.ofMillis(1));
        assertThat(listeners).isEmpty();
        assertThat(time.pending()).isZero();
        time.advance(Duration.ofHours(1));
        assertThat(dumps).hasSize(2);

        var later = look();
        assertThat(listeners).hasSize(1);
        assertThat(later.run()).isNotEqualTo(first.run());
        assertThat(later.points()).hasSize(1);
    }

    @Promise("54.8")
    @Test
    void aDumpThatTakesLongIsTakenSeldom() throws Exception {
        cost = Duration.ofSeconds(1);
        assertThat(look().pause()).isEqualTo(5_000);
        time.advance(Duration.ofMillis(3_999));
        look();
        assertThat(dumps).hasSize(1);
        time.advance(Duration.ofMillis(1));
        look();
        assertThat(dumps).hasSize(2);
    }

    @Promise("54.8")
    @Test
    void aDumpThatFailsIsTriedAgain() throws Exception {
        fails = true;
        assertThat(Waits.failure(sampler.request(new Sampler.Look()))).hasMessage("no dump");
        fails = false;
        look();
        assertThat(listeners).hasSize(1);
    }

    @Promise("54.8")
    @Test
    void eventsOfOneKindBetweenTwoSamplesAreKeptUpToTwenty() throws Exception {
        look();
        for (int i = 0; i < 130; i++) {
            feed.on(new Lagging("actor " + i, i, Duration.ofSeconds(1)));
            feed.on(new Started("actor"));
            feed.on(new Stopped("actor", Stopped.Reason.POISON_PILL));
        }
        assertThat(feed.after(0)).hasSize(20).extracting(each -> each.line().actor()).last()
                .isEqualTo("actor 19");
        assertThat(feed.skipped()).isEqualTo(110);
        assertThat(feed.after(18)).extracting(EventFeed.Entry::number).containsExactly(19L, 20L);
        for (int sample = 0; sample < 13; sample++) {
            time.advance(Duration.ofSeconds(1));
            look();
            for (int i = 0; i < 20; i++) {
                feed.on(new Stopped("actor", Stopped.Reason.FAILURE));
            }
        }
        assertThat(feed.after(0)).hasSize(200).last().extracting(EventFeed.Entry::number).isEqualTo(280L);
        assertThat(feed.skipped()).isEqualTo(110);
        assertThat(feed.takesEvents()).isFalse();
    }

    @Promise("54.8")
    @Test
    void aBurstOfOneKindHidesNoOtherKind() throws Exception {
        look();
        for (int i = 0; i < 1_000; i++) {
            feed.on(new Undelivered("till", 1, Undelivered.Cause.STOPPED));
            feed.on(new Expired("till", 1, Duration.ofSeconds(3)));
        }
        feed.on(new Stopped("till", Stopped.Reason.FAILURE));
        assertThat(feed.after(0)).last().extracting(each -> each.line().kind()).isEqualTo("stopped");
    }

    @Promise("54.8")
    @Test
    void aTimeWhenNobodyLookedIsMarkedOnceBehindOlderEvents() throws Exception {
        look();
        time.advance(Duration.ofSeconds(10));
        look();
        assertThat(feed.after(0)).as("nothing is older").isEmpty();
        feed.on(new Lagging("actor", 1, Duration.ofSeconds(1)));
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofHours(20));
            assertThat(listeners).isEmpty();
            look();
        }
        assertThat(feed.after(0)).extracting(each -> each.line().kind()).containsExactly("lagging", "gap");
    }

    /** A message whose text nobody may see. */
    private record Secret(String card) {
        @Override
        public String toString() {
            throw new AssertionError("a message was written");
        }
    }

    @Promise("54.8")
    @Test
    void anEventHasTheClassOfItsMessageAlone() {
        feed.on(new Undelivered("till", new Secret("4711"), Undelivered.Cause.NO_SUCH_ACTOR));
        assertThat(feed.after(0)).singleElement().extracting(EventFeed.Entry::line)
                .isEqualTo(new EventLine("lost", "till", "SamplerTest.Secret: no such actor"));
    }

    @Promise("54.8")
    @Test
    void anEventHasTheClassOfWhatAnEnvelopeCarries() {
        feed.on(new Undelivered("till", (Envelope) () -> 4711, Undelivered.Cause.FULL));
        feed.on(new Expired("till", (Envelope) () -> 4711, Duration.ofSeconds(3)));
        assertThat(feed.after(0)).extracting(each -> each.line().text())
                .containsExactly("Integer: full", "Integer waited longer than 3.0 s");
    }

    @Test
    void restartsAreCounted() {
        for (int restarts : List.of(1, 3, 4, 11, 12, 21, 113)) {
            feed.on(new Restarted("till", restarts, new IllegalStateException("gone"), Duration.ZERO));
        }
        assertThat(feed.after(0)).extracting(each -> each.line().text().split(" ")[2])
                .containsExactly("1st", "3rd", "4th", "11th", "12th", "21st", "113th");
    }

    @Promise("54.8")
    @Test
    void textsOfTheProgramAreReadWithCareAndCut() {
        feed.on(new Expired("till", new Secret("4711"), Duration.ofSeconds(3)));
        feed.on(new Restarted("till", 2, new IllegalStateException() {
            private static final long serialVersionUID = 1;

            @Override
            public String getMessage() {
                throw new AssertionError("a failure of the test");
            }
        }, Duration.ZERO));
        feed.on(new Restarted("x".repeat(1_000), 2, new IllegalStateException("y".repeat(1_000)),
                Duration.ZERO));
        assertThat(feed.after(0)).extracting(each -> each.line().text())
                .satisfiesExactly(
                        text -> assertThat(text).isEqualTo("SamplerTest.Secret waited longer than 3.0 s"),
                        text -> assertThat(text).isEqualTo("for the 2nd time after SamplerTest.1"),
                        text -> assertThat(text).hasSize(302).endsWith("yy …"));
        assertThat(feed.after(2).getFirst().line().actor()).hasSize(302);
    }
}
