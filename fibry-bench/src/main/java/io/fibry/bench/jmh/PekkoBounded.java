package io.fibry.bench.jmh;

import io.fibry.bench.jmh.BoundedPeer.Outcome;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;

/** A bounded mailbox of Apache Pekko. A sender waits for room, up to the limit in its settings. */
final class PekkoBounded {
    private static final ActorSystem SYSTEM = Pekko.system();

    private PekkoBounded() {
    }

    private static final class Counting extends AbstractActor {
        private long handled;
        private final CountDownLatch all;
        private final int messages;

        Counting(int messages, CountDownLatch all) {
            this.messages = messages;
            this.all = all;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(message -> {
                if (++handled == messages) {
                    all.countDown();
                }
            }).build();
        }
    }

    static Outcome send(int messages) throws InterruptedException {
        var all = new CountDownLatch(1);
        var actor = SYSTEM.actorOf(Props.create(Counting.class, () -> new Counting(messages, all))
                .withMailbox("bounded-mailbox"));
        for (int i = 0; i < messages; i++) {
            actor.tell(BoundedPeer.MESSAGE, ActorRef.noSender());
        }
        if (!all.await(60, TimeUnit.SECONDS)) {
            throw new AssertionError("not all of " + messages + " messages were handled");
        }
        SYSTEM.stop(actor);
        return new Outcome(messages, 0);
    }
}
