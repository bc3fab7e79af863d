package io.fibry.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.event.Failed;
import io.fibry.message.Envelope;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import java.util.List;
import java.util.Optional;

/** Failures on messages that carry other objects. */
class EnvelopeTest {
    private record Letter(Object content) implements Envelope {
        @Override
        public Optional<String> about() {
            return Optional.of("tea");
        }
    }

    private record Torn() implements Envelope {
        @Override
        public Object content() {
            throw new IllegalStateException("torn");
        }
    }

    @Promise("10.6")
    @EveryStrategy
    void theReportNamesTheContent(Strategy strategy) throws Exception {
        var recorder = new Recorder();
        try (var scope = Scopes.on(strategy, recorder)) {
            var actor = scope.anonymous().newActor((Object message) -> {
                throw new IllegalStateException("as wanted");
            });
            List.of(new Letter(1), new Torn(), "plain").forEach(actor::sendMessage);
            actor.close();
            var failures = recorder.of(Failed.class);
            assertThat(failures).extracting(failed -> failed.message().orElseThrow().getSimpleName())
                    .containsExactly("Integer", "Torn", "String");
            assertThat(failures).extracting(Failed::about)
                    .containsExactly(Optional.of("tea"), Optional.empty(), Optional.empty());
            assertThat(failures.getFirst().toString()).contains("about=tea").contains("java.lang.Integer");
        }
    }
}
