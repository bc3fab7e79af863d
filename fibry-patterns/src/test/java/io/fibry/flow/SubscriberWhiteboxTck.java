package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a subscriber with an actor of its own, whose calls and demand it sees from inside. */
public final class SubscriberWhiteboxTck extends FlowSubscriberWhiteboxVerification<Integer> {
    private final AtomicInteger names = new AtomicInteger();
    private ActorScope scope;

    public SubscriberWhiteboxTck() {
        super(Tck.environment());
    }

    @BeforeClass
    public void open() {
        scope = ActorSystem.configure("tck").listener(event -> {
        }).open();
    }

    @AfterClass
    public void close() {
        scope.close();
    }

    @Override
    protected Flow.Subscriber<Integer> createFlowSubscriber(WhiteboxSubscriberProbe<Integer> probe) {
        var subscriber = FlowSubscriber.open(scope, "subscriber-" + names.incrementAndGet(),
                FlowOptions.capacity(10), probe::registerOnNext);
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
                        subscriber.close();
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
                probe.registerOnError(failure);
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
                subscriber.onEnd().thenRun(probe::registerOnComplete);
            }
        };
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
