package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.Flow;
import org.reactivestreams.tck.flow.FlowSubscriberBlackboxVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a subscriber that sends to an actor, as it is seen from outside. */
public final class SendingSubscriberTck extends FlowSubscriberBlackboxVerification<Integer> {
    private ActorScope scope;

    public SendingSubscriberTck() {
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
        return FlowSubscriber.of(scope.anonymous().newActor((Integer value) -> {
        }), FlowOptions.capacity(10));
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
