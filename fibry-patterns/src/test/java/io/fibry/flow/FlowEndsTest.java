package io.fibry.flow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorBuilder;
import io.fibry.ActorException;
import io.fibry.ActorStoppedException;
import io.fibry.CreationStrategy;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.ScopeLimits;
import io.fibry.dump.ScopeDump;
import io.fibry.event.Failed;
import io.fibry.function.Handler;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Gate;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Publishers, subscribers and generators that end in the middle of something. */
class FlowEndsTest {
    private static final List<Integer> ALL = IntStream.range(0, 100).boxed().toList();

    private static void endsInOrder(Taker<Integer> taker, FlowPublisher<Integer> publisher) throws Exception {
        assertThat(taker.failure()).isInstanceOf(ActorStoppedException.class);
        assertThat(taker.subscription).isDone();
        Waits.until("no subscription", () -> publisher.subscriptions() == 0);
    }

    @EveryStrategy
    @Promise("43.5")
    void anActorThatDoesNotStartTellsItsSubscriber(Strategy strategy) throws Exception {
        var create = strategy.create();
        try (var scope = Scopes.on(strategy)) {
            var publisher = Flows.publisher(scope, "numbers", FlowOptions.usual()
                    .withActors(actor -> actor.strategy(create).onStart(() -> {
                        throw new IllegalStateException("as wanted");
                    })), ALL);
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            endsInOrder(taker, publisher);
        }
    }

    @Test
    @Promise("43.5")
    void aSubscriberWhoseActorIsStoppedBeforeItBeginsIsTold() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var begun = new CountDownLatch(1);
            var publisher = Flows.publisher(scope, "numbers",
                    FlowOptions.usual().withActors(actor -> actor.onStart(() -> {
                        begun.countDown();
                        new CountDownLatch(1).await();
                    })), ALL);
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            Waits.on(begun);
            publisher.close();
            endsInOrder(taker, publisher);
        }
    }

    @Test
    @Promise("43.5")
    void aPublisherThatIsClosedWhileASubscriptionIsMadeForgetsIt() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var made = new AtomicReference<FlowPublisher<Integer>>();
            var publisher = Flows.publisher(scope, "numbers",
                    FlowOptions.usual().withActors(
                            actor -> actor.strategy(CreationStrategy.caller())
                                    .onStart(() -> made.get().close())),
                    ALL);
            made.set(publisher);
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            endsInOrder(taker, publisher);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("43.5")
    void aLimitThatRefusesTheMessagesOfASubscriptionEndsIt() throws Exception {
        for (var policy : List.of(OverflowPolicy.reject(), OverflowPolicy.fail(),
                OverflowPolicy.dropNewest())) {
            try (var scope =
                    Scopes.configure().limits(ScopeLimits.none().waiting(1).overflow(policy)).open()) {
                var other = scope.anonymous().newActor((Integer value) -> {
                });
                var publisher =
                        Flows.<Integer>connected(scope, "numbers", FlowOptions.usual(), sink -> () -> {
                        });
                var begun = new Taker<Integer>(0);
                publisher.subscribe(begun);
                begun.subscription();
                // A subscription at work sees a request without a message.
                Waits.until("the subscription rests", () -> isAtRest(scope.dump().scope()));
                try (var gate = Gate.in(other)) {
                    assertThat(other.sendMessage(1)).isTrue();
                    var taker = Taker.<Integer>ofAll();
                    publisher.subscribe(taker);
                    assertThat(taker.failure()).isInstanceOf(ActorStoppedException.class);
                    begun.subscription().request(1);
                    assertThat(begun.failure()).isInstanceOf(ActorStoppedException.class);
                    gate.open();
                }
                Waits.until("no subscription", () -> publisher.subscriptions() == 0);
            }
        }
    }

    private static boolean isAtRest(ScopeDump scope) {
        return scope.busy() == 0 && scope.scopes().stream().allMatch(FlowEndsTest::isAtRest);
    }

    @Test
    @Promise("43.5")
    void aSubscriberWhoseActorCannotBeMadeGetsTheFailure() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var failure = new IllegalArgumentException("as wanted");
            var closed = new AtomicInteger();
            var options = FlowOptions.usual().withActors(actor -> {
                throw failure;
            });
            var publisher =
                    Flows.<Integer>connected(scope, "numbers", options, sink -> closed::incrementAndGet);
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            assertThat(taker.failure()).isSameAs(failure);
            assertThat(publisher.subscriptions()).isZero();
        }
    }

    @EveryStrategy
    @Promise("44.7")
    void thePipelineOfAPublisherEndsWithThePublisher(Strategy strategy) throws Exception {
        if (!strategy.isAsync()) {
            return; // The stage would hold up the thread that closes.
        }
        try (var scope = Scopes.on(strategy)) {
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var publisher = Flows.pipeline(scope, "numbers", ALL).then(value -> {
                Waits.untilInterrupted(begun, interrupted);
                return value;
            }).publisher();
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            Waits.on(begun);
            assertThat(Forced.stop(() -> publisher.stop(Duration.ZERO)).stopped()).isTrue();
            assertThat(interrupted.getCount()).isZero();
            assertThat(taker.failure()).isInstanceOf(ActorStoppedException.class);
        }
    }

    @Test
    @Promise("44.7")
    void aClosedPublisherDoesNotUseASourceUp() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var pipeline = Flows.pipeline(scope, "numbers", ALL.iterator()).then(value -> value + 1);
            var publisher = pipeline.publisher();
            publisher.close();
            var taker = Taker.<Integer>ofAll();
            publisher.subscribe(taker);
            assertThat(taker.failure()).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("closed");
            assertThat(Waits.on(pipeline.toList().result())).hasSize(ALL.size());
        }
    }

    @Test
    @Promise("44.3")
    void aClosedGeneratorGivesNoValueThatWasFoundBefore() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var generator = Generator.<Integer>open(scope, "numbers", FlowOptions.usual(),
                    output -> ALL.forEach(output::yield));
            assertThat(generator.hasNext()).isTrue();
            generator.close();
            assertThat(generator.hasNext()).isFalse();
            assertThatThrownBy(generator::next).isInstanceOf(NoSuchElementException.class);
        }
    }

    @Test
    @Promise("43.9")
    void aSubscriberWhoseActorEndsWhileItIsMadeHasFailed() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var options = FlowOptions.usual()
                    .withActors(actor -> ClosingView.of(scope, ActorBuilder.class, actor));
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", options, value -> {
            });
            assertThat(subscriber.onEnd().exceptionNow()).isInstanceOf(ActorStoppedException.class);
            assertThat(recorder.of(Failed.class)).isEmpty();
            var asked = new Asked();
            subscriber.onSubscribe(asked);
            assertThat(asked.cancels).hasValue(1);
        }
    }

    @Test
    @Promise("43.9")
    void aValueThatAMailboxDropsGivesItsPlaceBack() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var go = new CountDownLatch(1);
            var options = FlowOptions.capacity(4)
                    .withActors(
                            actor -> actor.mailbox(MailboxPolicy.bounded(1, OverflowPolicy.dropOldest())));
            var asked = new Asked();
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", options, value -> go.await());
            subscriber.onSubscribe(asked);
            ALL.subList(0, 4).forEach(subscriber::onNext);
            go.countDown();
            assertThat(Waits.failure(subscriber.onEnd())).isInstanceOf(ActorException.class)
                    .hasMessageContaining("taker");
            assertThat(asked.cancels).hasValue(1);
            assertThat(Waits.on(subscriber.onStopped()).stopped()).isTrue();
        }
    }

    @Test
    @Promise("43.9")
    void aStreamWhoseLastValuesAreNotHandledHasFailed() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var begun = new CountDownLatch(1);
            var interrupted = new CountDownLatch(1);
            var actor = scope.anonymous()
                    .newActor((Integer value) -> Waits.untilInterrupted(begun, interrupted));
            var subscriber = FlowSubscriber.of(actor, FlowOptions.capacity(4));
            subscriber.onSubscribe(new Asked());
            subscriber.onNext(1);
            subscriber.onNext(2);
            subscriber.onComplete();
            Waits.on(begun);
            actor.stop(Duration.ZERO);
            assertThat(Waits.failure(subscriber.onEnd())).isInstanceOf(ActorStoppedException.class);
        }
    }

    /** The subscription breaks rule 3.16. */
    @Test
    @Promise("43.9")
    void aSubscriptionThatThrowsEndsTheStream() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var failure = new AssertionError("as wanted");
            var cancels = new AtomicInteger();
            var breaking = new Flow.Subscription() {
                private final AtomicBoolean isSecond = new AtomicBoolean();

                @Override
                public void request(long n) {
                    if (isSecond.getAndSet(true)) {
                        throw failure;
                    }
                }

                @Override
                public void cancel() {
                    cancels.incrementAndGet();
                }
            };
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.capacity(1), value -> {
            });
            subscriber.onSubscribe(breaking);
            subscriber.onNext(1);
            assertThat(Waits.failure(subscriber.onEnd())).isSameAs(failure);
            assertThat(cancels).hasValue(1);
        }
    }

    @Test
    @Promise("44.1")
    void theFailureOfASecondProducerIsKeptInTheFirstOne() throws Exception {
        var recorder = new Recorder();
        var first = new IllegalStateException("as wanted");
        var second = new IOException("as wanted, too");
        var third = new IOException("after the end");
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var threads = new CopyOnWriteArrayList<Thread>();
            var go = new CountDownLatch(1);
            var late = new CountDownLatch(1);
            var isFirst = new AtomicBoolean(true);
            Marks.hook(() -> {
                if (threads.size() == 2 && Thread.currentThread() == threads.getFirst()
                        && isFirst.getAndSet(false)) {
                    go.countDown();
                    Waits.parked(threads.getLast()); // It has failed, and waits for the lock.
                }
            });
            var generator = Generator.<Integer>open(scope, "numbers", FlowOptions.usual(),
                    List.of(output -> {
                        threads.addFirst(Thread.currentThread());
                        Waits.until("both", () -> threads.size() == 2);
                        throw first;
                    }, output -> {
                        threads.addLast(Thread.currentThread());
                        go.await();
                        throw second;
                    }, output -> {
                        late.await();
                        throw third;
                    }));
            assertThatThrownBy(generator::hasNext).isSameAs(first);
            late.countDown();
            Waits.on(generator.onStopped());
            assertThat(first.getSuppressed()).containsExactlyInAnyOrder(second, third);
        } finally {
            RingProbe.marks(() -> {
            });
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }

    @Test
    @Promise("43.5")
    void aDeadlineIsCheckedBeforeAnythingIsDone() throws Exception {
        var wrong = Duration.ofMillis(-1);
        try (var scope = Scopes.configure().open()) {
            var run = Flows.pipeline(scope, "numbers", ALL).toList();
            assertThatThrownBy(() -> run.stop(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThat(Waits.on(run.result())).isEqualTo(ALL);
            var generator = Generator.<Integer>open(scope, "numbers", FlowOptions.usual(),
                    output -> ALL.forEach(output::yield));
            assertThatThrownBy(() -> generator.stop(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThat(generator.next()).isZero();
            var asked = new Asked();
            var subscriber = FlowSubscriber.<Integer>open(scope, "taker", FlowOptions.usual(), value -> {
            });
            subscriber.onSubscribe(asked);
            assertThatThrownBy(() -> subscriber.stop(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThat(asked.cancels).hasValue(0);
        }
    }

    @Test
    @Promise("43.5")
    void whatCannotBeMadeLeavesNoScope() throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.configure().listener(recorder).open()) {
            var broken = FlowOptions.usual().withActors(actor -> {
                throw new IllegalArgumentException("as wanted");
            });
            assertThatThrownBy(() -> Flows.publisher(scope, "numbers", FlowOptions.usual(),
                    (Handler<GeneratorOutput<Integer>>) null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> Flows.connected(scope, "numbers", FlowOptions.usual(), null))
                    .isInstanceOf(NullPointerException.class);
            var closed = new AtomicInteger();
            assertThatThrownBy(
                    () -> Flows.pipeline(scope, "numbers", ALL.stream().onClose(closed::incrementAndGet))
                            .then(value -> value, StageOptions.usual().withActors(broken.actors())).toList())
                    .hasMessage("as wanted");
            assertThat(closed).hasValue(1);
        }
    }
}
