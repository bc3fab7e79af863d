package io.fibry.flow;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.stream.LongStream;
import org.reactivestreams.tck.flow.FlowPublisherVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on a publisher of a pipeline. */
public final class PipelinePublisherTck extends FlowPublisherVerification<Long> {
    private ActorScope scope;

    public PipelinePublisherTck() {
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
        Iterable<Long> values = () -> LongStream.range(0, elements).iterator();
        return Flows.pipeline(scope, "numbers", values).then(value -> value, StageOptions.parallel(2))
                .publisher();
    }

    @Override
    public Flow.Publisher<Long> createFailedFlowPublisher() {
        var used = Flows.pipeline(scope, "failed", List.of(1L).iterator());
        used.toList();
        return used.publisher();
    }
}
