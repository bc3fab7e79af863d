package io.fibry.bench.jmh;

import com.typesafe.config.ConfigFactory;
import io.fibry.bench.jmh.Peer.Handler;
import io.fibry.bench.jmh.Peer.Home;
import io.fibry.bench.jmh.Peer.Node;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorRefFactory;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;

/** Apache Pekko's classic actors, with its default settings, except for its output. */
final class Pekko {
    private static final String SETTINGS = """
            pekko { daemonic = on, loglevel = OFF, stdout-loglevel = OFF, log-dead-letters = off }
            bounded-mailbox {
              mailbox-type = "org.apache.pekko.dispatch.BoundedMailbox"
              mailbox-capacity = %d
              mailbox-push-timeout-time = 60s
            }
            """.formatted(BoundedPeer.CAPACITY);

    private Pekko() {
    }

    static ActorSystem system() {
        return ActorSystem.create("bench",
                ConfigFactory.parseString(SETTINGS).withFallback(ConfigFactory.load()));
    }

    static void stop(ActorSystem system) {
        system.terminate();
        system.getWhenTerminated().toCompletableFuture().join();
    }

    /** Returns a system whose actors start others as their children. */
    static Home home() {
        var system = system();
        return new PekkoHome(system) {
            @Override
            public void close() {
                stop(system);
            }
        };
    }

    private static class PekkoHome implements Home {
        private final ActorRefFactory factory;

        PekkoHome(ActorRefFactory factory) {
            this.factory = factory;
        }

        @Override
        public Node start(Handler handler) {
            var ref = factory.actorOf(Props.create(PekkoActor.class, () -> new PekkoActor(handler)));
            return message -> ref.tell(message, ActorRef.noSender());
        }
    }

    private static final class PekkoActor extends AbstractActor {
        private final Handler handler;
        private final Home home = new PekkoHome(getContext());

        PekkoActor(Handler handler) {
            this.handler = handler;
        }

        @Override
        public Receive createReceive() {
            return receiveBuilder().matchAny(message -> {
                if (handler.handle(home, message)) {
                    getContext().stop(getSelf());
                }
            }).build();
        }
    }
}
