package io.fibry.flow;

import io.fibry.testing.Promise;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("once")
@Promise("43.1")
class TckTest {
    @TestFactory
    Stream<DynamicTest> generatedPublisher() {
        return Tck.tests(GeneratedPublisherTck.class, Map.of());
    }

    @TestFactory
    Stream<DynamicTest> sourcePublisher() {
        return Tck.tests(SourcePublisherTck.class, Map.of());
    }

    @TestFactory
    Stream<DynamicTest> pipelinePublisher() {
        return Tck.tests(PipelinePublisherTck.class, Map.of());
    }

    @TestFactory
    Stream<DynamicTest> subscriber() {
        return Tck.tests(SubscriberTck.class, Map.of());
    }

    @TestFactory
    Stream<DynamicTest> subscriberFromInside() {
        return Tck.tests(SubscriberWhiteboxTck.class, Map.of());
    }

    @TestFactory
    Stream<DynamicTest> pipelineSource() {
        return Tck.tests(PipelineSourceTck.class, Map.of());
    }

    @TestFactory
    Stream<DynamicTest> sendingSubscriber() {
        return Tck.tests(SendingSubscriberTck.class, Map.of());
    }
}
