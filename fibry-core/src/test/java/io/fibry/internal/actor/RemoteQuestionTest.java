package io.fibry.internal.actor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorContext;
import io.fibry.AskTimeoutException;
import io.fibry.internal.actor.Deferral.RemoteQuestion;
import io.fibry.internal.cycles.RemoteWait;
import io.fibry.message.DeferredReply;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Waits;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Asks of an actor that stands for something outside of this process. */
class RemoteQuestionTest {
    private static final Duration LIMIT = Duration.ofMillis(100);

    private record Question(String progress) implements RemoteQuestion {
        @Override
        public String asked() {
            return "the other side";
        }
    }

    @Promise("11.3")
    @Test
    void aTimeOutNamesTheOutsideWhetherTheActorHasLookedOrNot() throws Exception {
        try (var scope = Scopes.configure().open()) {
            var busy = new CountDownLatch(1);
            var goesOn = new CountDownLatch(1);
            var deferred = new DeferredReply<?>[1];
            Actor<Object, String> gateway =
                    scope.anonymous()
                            .newActorWithReturn((ActorContext<Object, String> self, Object message) -> {
                                if (message instanceof Question question) {
                                    deferred[0] = self.deferReply();
                                    RemoteWait.answers(deferred[0], question);
                                } else {
                                    busy.countDown();
                                    goesOn.await();
                                }
                                return "";
                            });
            assertThat(Waits.failure(gateway.ask(new Question("under way"), LIMIT)))
                    .isInstanceOf(AskTimeoutException.class)
                    .hasMessage("the other side gave no answer to a message of " + Question.class.getName()
                            + " within 100 ms: under way");
            var first = gateway.sendMessageReturn("wait");
            busy.await();
            var waiting = gateway.ask(new Question("not looked at"), LIMIT);
            assertThat(Waits.failure(waiting)).isInstanceOf(AskTimeoutException.class)
                    .hasMessage("the other side gave no answer to a message of " + Question.class.getName()
                            + " within 100 ms: not looked at");
            assertThat(((Answer<?>) waiting).place()).as("the question is not kept").isInstanceOf(Cell.class);
            goesOn.countDown();
            assertThat(Waits.on(first)).isEmpty();
            assertThat(deferred[0].isDone()).isTrue();
        }
    }
}
