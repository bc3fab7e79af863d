package io.fibry.bench.jmh;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.routing.RoundRobinPool;

/** Patterns of Apache Pekko. Each actor counts its messages, and ends the wait when it has all of its share. */
final class PekkoPatterns {
    private static final ActorSystem SYSTEM = Pekko.system();

    private PekkoPatterns() {
    }

    private static final class Counting extends AbstractActor {
        private final LongAdder handled;
        private final CountDownLatch all;
        private int left;

        Counting(int share, LongAdder handled, CountDownLatch all) {
            left = share;
            this.handled = handled;
            this.all = all;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(message -> {
                handled.increment();
                if (--left == 0) {
                    all.countDown();
                }
            }).build();
        }
    }

    private static Props counting(int share, LongAdder handled, CountDownLatch all) {
        return Props.create(Counting.class, () -> new Counting(share, handled, all));
    }

    static long pool(int messages) throws InterruptedException {
        var handled = new LongAdder();
        var all = new CountDownLatch(PatternPeer.WORKERS);
        var pool = SYSTEM.actorOf(new RoundRobinPool(PatternPeer.WORKERS)
                .props(counting(messages / PatternPeer.WORKERS, handled, all)));
        PatternPeer.send(messages, number -> pool.tell(number, ActorRef.noSender()));
        PatternPeer.await(all);
        SYSTEM.stop(pool);
        return handled.sum();
    }

    static long eventStream(int messages) throws InterruptedException {
        var handled = new LongAdder();
        var all = new CountDownLatch(PatternPeer.SUBSCRIBERS);
        var subscribers = new ActorRef[PatternPeer.SUBSCRIBERS];
        var stream = SYSTEM.getEventStream();
        for (int i = 0; i < subscribers.length; i++) {
            subscribers[i] = SYSTEM.actorOf(counting(messages, handled, all));
            stream.subscribe(subscribers[i], Integer.class);
        }
        PatternPeer.send(messages, number -> stream.publish(number));
        PatternPeer.await(all);
        for (var subscriber : subscribers) {
            stream.unsubscribe(subscriber);
            SYSTEM.stop(subscriber);
        }
        return handled.sum();
    }
}
