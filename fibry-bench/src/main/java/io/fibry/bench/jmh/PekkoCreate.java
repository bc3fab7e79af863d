package io.fibry.bench.jmh;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;
import org.apache.pekko.pattern.Patterns;

/** Actors of Apache Pekko that do nothing yet. One actor starts them as its children, as the guide advises. */
final class PekkoCreate {
    private PekkoCreate() {
    }

    /** The system is made once, and only where it is used. */
    private static final class Holder {
        private static final ActorSystem SYSTEM = Pekko.system();
    }

    /** An actor that was made, and its parent. */
    record Made(ActorRef parent, ActorRef child) {
        /** Tells whether the actor is there and handles a message. */
        void check() throws InterruptedException {
            var asked = new CountDownLatch(1);
            child.tell(asked, ActorRef.noSender());
            if (!asked.await(60, TimeUnit.SECONDS)) {
                throw new AssertionError(child + " did not handle a message");
            }
        }
    }

    private static final class Child extends AbstractActor {
        @Override
        public Receive createReceive() {
            return receiveBuilder().match(CountDownLatch.class, CountDownLatch::countDown).build();
        }
    }

    private static final class Parent extends AbstractActor {
        private final Object[] children;
        private final CompletableFuture<Object[]> made;

        Parent(int count, CompletableFuture<Object[]> made) {
            children = new Object[count];
            this.made = made;
        }

        @Override
        public void preStart() {
            var props = Props.create(Child.class, Child::new);
            for (int i = 0; i < children.length; i++) {
                children[i] = new Made(getSelf(), getContext().actorOf(props));
            }
            made.complete(children);
        }

        @Override
        public Receive createReceive() {
            return emptyBehavior();
        }
    }

    static Object[] make(int count) {
        var made = new CompletableFuture<Object[]>();
        Holder.SYSTEM.actorOf(Props.create(Parent.class, () -> new Parent(count, made)));
        return made.join();
    }

    /** Stops the parent and its children, and waits for their end. */
    static void stop(Object[] kept) {
        if (kept.length > 0 && kept[0] instanceof Made made) {
            Patterns.gracefulStop(made.parent, Duration.ofSeconds(60))
                    .toCompletableFuture().join();
        }
    }
}
