package io.fibry.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Patience;
import io.fibry.testing.Promise;
import io.fibry.testing.Scopes;
import io.fibry.testing.Senders;
import io.fibry.testing.Strategy;
import java.util.concurrent.TimeUnit;

/** All shared data here is in plain fields: only the actor's own synchronisation can make them visible. */
class VisibilityTest {
    private static final int SENDERS = 4;
    private static final int EACH = 2_000;

    private static final class Parcel {
        private int first;
        private long[] more;
        private Parcel inner;

        void fill(int n) {
            first = n;
            more = new long[8];
            more[n % 8] = n;
            inner = new Parcel();
            inner.first = -n;
        }

        boolean isFilledWith(int n) {
            return first == n && more != null && more[n % 8] == n && inner != null && inner.first == -n;
        }
    }

    private record Sent(int number, Parcel parcel) {
    }

    private static void parcelsArriveFilled(Strategy strategy, MailboxPolicy mailbox) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var broken = new int[1];
            var actor = scope.anonymous().mailbox(mailbox).newActor((Sent sent) -> {
                if (!sent.parcel.isFilledWith(sent.number)) {
                    broken[0]++;
                }
            });
            Senders.run(SENDERS, sender -> {
                for (int i = 1; i <= EACH; i++) {
                    var sent = new Sent(i, new Parcel());
                    sent.parcel.fill(i);
                    switch (i % 3) {
                        case 0 -> actor.sendMessageReturn(sent);
                        case 1 -> actor.sendMessage(sent);
                        default -> {
                            var n = i;
                            actor.execute(() -> broken[0] += sent.parcel.isFilledWith(n) ? 0 : 1);
                        }
                    }
                }
            });
            actor.execAndWait(() -> assertThat(broken[0]).isZero());
        }
    }

    @Promise("3.1")
    @EveryStrategy
    void theHandlerSeesWhatTheSenderDidBefore(Strategy strategy) throws Exception {
        parcelsArriveFilled(strategy, MailboxPolicy.unbounded());
    }

    @Promise("3.1")
    @EveryStrategy
    void alsoThroughABoundedMailbox(Strategy strategy) throws Exception {
        parcelsArriveFilled(strategy, MailboxPolicy.bounded(8, OverflowPolicy.block()));
    }

    @Promise("3.1")
    @EveryStrategy
    void aHandlerSeesWhatTheOneBeforeItDidOnWhateverThread(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var parcel = new Parcel();
            parcel.fill(0);
            // Each sender waits for its answer, so the mailbox often goes idle and the threads change.
            var actor = scope.anonymous().newActorWithReturn((Integer ignored) -> {
                var whole = parcel.isFilledWith(parcel.first);
                parcel.fill(parcel.first + 1);
                return whole;
            });
            Senders.run(SENDERS, sender -> {
                for (int i = 0; i < EACH; i++) {
                    assertThat(actor.apply(i)).isTrue();
                }
            });
            actor.execAndWait(() -> assertThat(parcel.first).isEqualTo(SENDERS * EACH));
        }
    }

    @Promise("3.1")
    @EveryStrategy
    void whoGetsTheAnswerSeesWhatTheHandlerDid(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<Sent, Integer>newActorWithReturn((Sent sent) -> {
                sent.parcel.fill(sent.number);
                return sent.number;
            });
            Senders.run(SENDERS, sender -> {
                for (int i = 1; i <= EACH; i++) {
                    var sent = new Sent(i, new Parcel());
                    switch (i % 5) {
                        case 0 -> actor.apply(sent);
                        case 1 -> actor.sendMessageReturn(sent).get();
                        case 2 -> actor.sendMessageReturn(sent).join();
                        case 3 -> actor.sendMessageReturn(sent).get(1, TimeUnit.MINUTES);
                        default -> actor.execAndWait(() -> sent.parcel.fill(sent.number));
                    }
                    assertThat(sent.parcel.isFilledWith(i)).isTrue();
                }
            });
        }
    }

    @Promise("3.1")
    @EveryStrategy
    void soDoesWhoFindsTheAnswerDone(Strategy strategy) throws Exception {
        try (var scope = Scopes.on(strategy)) {
            var actor = scope.anonymous().<Sent, Integer>newActorWithReturn((Sent sent) -> {
                sent.parcel.fill(sent.number);
                return sent.number;
            });
            for (int i = 1; i <= EACH; i++) {
                var sent = new Sent(i, new Parcel());
                var answer = actor.sendMessageReturn(sent);
                Patience.spin("the answer", answer::isDone);
                assertThat(answer.join()).isEqualTo(i);
                assertThat(sent.parcel.isFilledWith(i)).isTrue();
            }
        }
    }
}
