package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a subscriber with an actor of its own, whose calls and demand it sees from inside. */
public class SubscriberWhiteboxTck extends FlowSubscriberWhiteboxVerification<Integer> {
    private final AtomicInteger names = new AtomicInteger();
    private ActorScope scope;

    public SubscriberWhiteboxTck() {
        super(Tck.environment());
    }

    /**
     * What the kit looks at.
     *
     * @param subscriber gets the signals
     * @param cancel cancels the subscription
     * @param end completes when all values have been handled, with the failure of the publisher as its cause if that has failed
     */
    record Subject(Flow.Subscriber<? super Integer> subscriber, Runnable cancel, CompletableFuture<?> end) {
    }

    /** Makes a subscriber whose values go to a consumer. */
    Subject subject(ActorScope in, String name, Consumer<Integer> values) {
        var subscriber =
                FlowSubscriber.<Integer>open(in, name, FlowOptions.capacity(10), values::accept);
        return new Subject(subscriber, subscriber::close, subscriber.onEnd());
    }

    @BeforeClass
    public final void open() {
        scope = ActorSystem.configure("tck").listener(event -> {
        }).open();
    }

    @AfterClass
    public final void close() {
        scope.close();
    }

    @Override
    protected final Flow.Subscriber<Integer> createFlowSubscriber(WhiteboxSubscriberProbe<Integer> probe) {
        var subject = subject(scope, "subject-" + names.incrementAndGet(), probe::registerOnNext);
        var subscriber = subject.subscriber;
        return new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription subscription) {
                subscriber.onSubscribe(subscription);
                probe.registerOnSubscribe(new SubscriberPuppet() {
                    @Override
                    public void triggerRequest(long elements) {
                        // It has requested what there is room for.
                    }

                    @Override
                    public void signalCancel() {
                        subject.cancel.run();
                    }
                });
            }

            @Override
            public void onNext(Integer value) {
                subscriber.onNext(value);
            }

            @Override
            public void onError(Throwable failure) {
                subscriber.onError(failure);
                var unused = subject.end.whenComplete((any, why) -> probe.registerOnError(why.getCause()));
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
                var unused = subject.end.thenRun(probe::registerOnComplete);
            }
        };
    }

    @Override
    public final Integer createElement(int element) {
        return element;
    }
}
