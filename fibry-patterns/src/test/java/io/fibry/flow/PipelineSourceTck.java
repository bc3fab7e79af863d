package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.SubscriberPuppet;
import org.reactivestreams.tck.SubscriberWhiteboxVerification.WhiteboxSubscriberProbe;
import org.reactivestreams.tck.flow.FlowSubscriberWhiteboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on the subscriber that a pipeline over a publisher is: what has come to its consumer, and its end, are what it has got. */
public final class PipelineSourceTck extends FlowSubscriberWhiteboxVerification<Integer> {
    private final AtomicInteger names = new AtomicInteger();
    private ActorScope scope;

    public PipelineSourceTck() {
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
        var subscribed = new AtomicReference<Flow.Subscriber<? super Integer>>();
        Flow.Publisher<Integer> publisher = subscribed::set;
        var run = Flows.pipeline(scope, "pipeline-" + names.incrementAndGet(), publisher)
                .forEach(probe::registerOnNext, StageOptions.usual());
        var subscriber = Objects.requireNonNull(subscribed.get(), "subscriber");
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
                        run.cancel();
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
                var unused = run.result()
                        .whenComplete((count, why) -> probe.registerOnError(why.getCause()));
            }

            @Override
            public void onComplete() {
                subscriber.onComplete();
                var unused = run.result().thenRun(probe::registerOnComplete);
            }
        };
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
