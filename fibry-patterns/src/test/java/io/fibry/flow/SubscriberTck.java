package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a subscriber with an actor of its own, as it is seen from outside. */
public final class SubscriberTck extends FlowSubscriberBlackboxVerification<Integer> {
    private final AtomicInteger names = new AtomicInteger();
    private ActorScope scope;

    public SubscriberTck() {
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
    public Flow.Subscriber<Integer> createFlowSubscriber() {
        return FlowSubscriber.open(scope, "subscriber-" + names.incrementAndGet(), FlowOptions.capacity(10),
                (Integer value) -> {
                });
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
