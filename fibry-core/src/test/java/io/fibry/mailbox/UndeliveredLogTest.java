package io.fibry.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.ReceivingContext;
import io.fibry.event.ActorEvent;
import io.fibry.event.ActorListener;
import io.fibry.event.Undelivered;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Senders;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class UndeliveredLogTest {
    private static final Logger LOGGER = (Logger) LoggerFactory.getLogger("io.fibry");

    private final Lines lines = new Lines();

    private static final class Lines extends AppenderBase<ILoggingEvent> {
        private final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();

        @Override
        protected void append(ILoggingEvent event) {
            texts.add(event.getFormattedMessage());
        }

        List<String> of(String actor) {
            return texts.stream().filter(line -> line.contains("'" + actor + "'")).toList();
        }
    }

    @BeforeEach
    void readTheLog() {
        lines.start();
        LOGGER.addAppender(lines);
        LOGGER.setAdditive(false);
    }

    @AfterEach
    void leaveTheLog() {
        LOGGER.detachAppender(lines);
        LOGGER.setAdditive(true);
    }

    private static Actor<Integer, Void> stopped(ActorScope scope, String name) {
        Actor<Integer, Void> actor = scope.named(name).newActor((Integer n) -> {
        });
        actor.close();
        return actor;
    }

    @Promise("10.1")
    @Test
    void aLineSaysWhatHasFailed() {
        var failure = new IllegalStateException("broken");
        try (var scope = ActorSystem.open("log")) {
            scope.named("body").newReceivingActor((ReceivingContext<String> inbox) -> {
                throw failure;
            }).waitForExit();
            scope.named("hook").onExit(() -> {
                throw failure;
            }).newActor((String message) -> {
                throw failure;
            }).sendMessage("text");
        }
        assertThat(lines.of("body")).containsExactly("actor 'body' failed in its body");
        assertThat(lines.of("hook")).containsExactly("actor 'hook' failed on a message of java.lang.String",
                "actor 'hook' failed in an exit hook");
    }

    /** Hears everything and takes nothing. */
    private static final class Watcher implements ActorListener {
        private final Recorder heard = new Recorder();

        @Override
        public void on(ActorEvent event) {
            heard.on(event);
            throw new IllegalStateException("a watcher fails");
        }

        @Override
        public boolean takesEvents() {
            return false;
        }
    }

    @Promise("29.1")
    @Test
    void aListenerThatOnlyWatchesLeavesTheLogAsItIs() {
        var watcher = new Watcher();
        try (var scope = ActorSystem.open("log")) {
            var watching = scope.listen(watcher);
            stopped(scope, "watched").sendMessage(1);
            assertThat(watcher.heard.of(Undelivered.class)).hasSize(1);
            assertThat(lines.of("watched")).singleElement().asString().contains("java.lang.Integer");
            watching.cancel();
            stopped(scope, "alone").sendMessage(1);
            scope.listen(watcher);
            scope.listen(new Recorder());
            stopped(scope, "taken").sendMessage(1);
        }
        assertThat(watcher.heard.of(Undelivered.class)).extracting(Undelivered::actor)
                .containsExactly("watched", "taken");
        assertThat(lines.of("alone")).hasSize(1);
        assertThat(lines.of("taken")).isEmpty();
    }

    @Promise("4.3")
    @Test
    void withoutAListenerActorMessageClassAndCauseAreLogged() {
        try (var scope = ActorSystem.open("test")) {
            var actor = stopped(scope, "logged");
            // Earlier tests may have used up the lines of this second.
            await().until(() -> {
                actor.sendMessage(1);
                return !lines.of("logged").isEmpty();
            });
            assertThat(lines.of("logged").getFirst()).contains("java.lang.Integer", "STOPPED");
        }
    }

    @Promise("4.3")
    @Test
    void aFloodOfLostMessagesIsNoFloodOfLines() throws Exception {
        try (var scope = ActorSystem.open("test")) {
            var actor = stopped(scope, "flood");
            var start = System.nanoTime();
            Senders.run(4, sender -> {
                for (int i = 0; i < 20_000; i++) {
                    actor.sendMessage(i);
                }
            });
            var seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
            // Twenty lines in a second, and as many again when the next begins; a race may let some more in.
            assertThat(lines.of("flood")).hasSizeLessThan((int) (seconds + 2) * 25);
            assertThat(actor.counters().refused()).isEqualTo(80_000);
        }
    }

    @Promise("4.3")
    @Test
    void withAListenerNothingIsLogged() {
        try (var scope = ActorSystem.configure("test").listener(event -> {
        }).open()) {
            stopped(scope, "heard").sendMessage(1);
        }
        assertThat(lines.of("heard")).isEmpty();
    }
}
