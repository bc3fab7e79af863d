package io.fibry.flow;

import io.fibry.ActorScope;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.tck.flow.IdentityFlowProcessorVerification;
import org.testng.annotations.AfterClass;
import org.testng.annotations.BeforeClass;

/** The kit on an actor that publishes what it gets. */
public final class FlowActorTck extends IdentityFlowProcessorVerification<Integer> {
    private final AtomicInteger names = new AtomicInteger();
    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private ActorScope scope;

    public FlowActorTck() {
        super(Tck.environment(), Tck.GARBAGE_MILLIS);
    }

    @BeforeClass
    public void open() {
        scope = ActorScope.configure("tck").listener(event -> {
        }).open();
    }

    @AfterClass
    public void close() {
        scope.close();
        executor.shutdownNow();
    }

    @Override
    protected Flow.Processor<Integer, Integer> createIdentityFlowProcessor(int bufferSize) {
        return FlowActor.open(scope, "actor-" + names.incrementAndGet(), FlowOptions.capacity(bufferSize),
                (Integer value, GeneratorOutput<Integer> output) -> output.yield(value));
    }

    @Override
    protected Flow.Publisher<Integer> createFailedFlowPublisher() {
        return Flows.connected(scope, "failed", FlowOptions.usual(), sink -> {
            throw new IllegalStateException("as wanted");
        });
    }

    @Override
    public ExecutorService publisherExecutorService() {
        return executor;
    }

    @Override
    public Integer createElement(int element) {
        return element;
    }
}
