package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.Flow;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a publisher that is connected to a source. */
public final class SourcePublisherTck extends FlowPublisherVerification<Long> {
    private ActorScope scope;

    public SourcePublisherTck() {
        super(Tck.environment(), Tck.GARBAGE_MILLIS);
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
    public Flow.Publisher<Long> createFlowPublisher(long elements) {
        return Flows.connected(scope, "numbers", FlowOptions.usual(), sink -> {
            var thread = Thread.startVirtualThread(() -> {
                for (long i = 0; i < elements && sink.isWanted(); i++) {
                    sink.offer(i);
                }
                sink.complete();
            });
            return thread::interrupt;
        });
    }

    @Override
    public Flow.Publisher<Long> createFailedFlowPublisher() {
        return Flows.connected(scope, "failed", FlowOptions.usual(), sink -> {
            throw new IllegalStateException("as wanted");
        });
    }
}
