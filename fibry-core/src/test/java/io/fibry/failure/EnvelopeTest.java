package io.fibry.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.event.Failed;
import io.fibry.message.Envelope;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

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

    @Promise("10.6")
    @EveryStrategy
    void theTextAboutALostMessageNamesTheContentAndTheRemedy(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var begun = new CountDownLatch(1);
            var go = new CountDownLatch(1);
            var actor = scope.named("post").newActorWithReturn((Object message) -> {
                begun.countDown();
                go.await();
                return message;
            });
            var first = Thread.startVirtualThread(() -> actor.sendMessage("first"));
            Waits.on(begun);
            var waiting = actor.sendMessageReturn(new Letter(1));
            var torn = actor.sendMessageReturn(new Torn());
            actor.askExit();
            go.countDown();
            actor.waitForExit();
            first.join();
            assertThat(waiting).failsWithin(Patience.LIMIT).withThrowableOfType(ExecutionException.class)
                    .withMessageContaining(
                            "actor 'post' stopped (EXIT) while a message of java.lang.Integer waited for it; "
                                    + "a poison pill");
            assertThat(torn).failsWithin(Patience.LIMIT).withThrowableOfType(ExecutionException.class)
                    .withMessageContaining(Torn.class.getName());
            assertThat(actor.sendMessageReturn(new Letter(1))).failsWithin(Patience.LIMIT)
                    .withThrowableOfType(ExecutionException.class)
                    .withMessageContaining(
                            "when a message of java.lang.Integer was sent to it; make another actor");
        }
    }
}
