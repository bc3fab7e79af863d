package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.concurrent.Flow;
import java.util.stream.LongStream;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a publisher of a generator. */
public final class GeneratedPublisherTck extends FlowPublisherVerification<Long> {
    private ActorScope scope;

    public GeneratedPublisherTck() {
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
        return Flows.publisher(scope, "numbers", FlowOptions.usual(),
                (GeneratorOutput<Long> output) -> LongStream.range(0, elements).forEach(output::yield));
    }

    @Override
    public Flow.Publisher<Long> createFailedFlowPublisher() {
        return Flows.connected(scope, "failed", FlowOptions.usual(), sink -> {
            throw new IllegalStateException("as wanted");
        });
    }
}
