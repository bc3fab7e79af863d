package io.fibry.bench.jmh;

import io.fibry.Actor;
import io.fibry.CreationStrategy;
import java.util.concurrent.LinkedTransferQueue;
import org.apache.pekko.actor.AbstractActor;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorRefFactory;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.Props;

/** Ways to have many small things that send messages to each other. */
public enum Peer {
    /** Actors on fibers. */
    FIBERS {
        @Override
        Home open() {
            return new Home() {
                @Override
                public Node start(Handler handler) {
                    Actor<Object, Void> actor =
                            io.fibry.ActorSystem.anonymous().strategy(CreationStrategy.fibers())
                                    .newActor((Object message) -> {
                                        handler.handle(this, message);
                                    });
                    return actor::sendMessage;
                }
            };
        }
    },
    /** By hand: a virtual thread with a queue for each. */
    VIRTUAL {
        @Override
        Home open() {
            return new Home() {
                @Override
                public Node start(Handler handler) {
                    var queue = new LinkedTransferQueue<>();
                    Thread.startVirtualThread(() -> {
                        try {
                            while (!handler.handle(this, queue.take())) {
                                continue;
                            }
                        } catch (InterruptedException nobodyDoesThat) {
                            throw new IllegalStateException(nobodyDoesThat);
                        }
                    });
                    return queue::add;
                }
            };
        }
    },
    /** Apache Pekko's classic actors, which start others as their children. */
    PEKKO {
        @Override
        Home open() {
            var system = ActorSystem.create("bench");
            return new PekkoHome(system) {
                @Override
                public void close() {
                    system.terminate();
                    system.getWhenTerminated().toCompletableFuture().join();
                }
            };
        }
    };

    /** What a thing does with a message. True if it has done all it is there for. */
    interface Handler {
        boolean handle(Home home, Object message);
    }

    /** Something that can be sent to. */
    interface Node {
        void send(Object message);
    }

    /** Where things are started. */
    interface Home extends AutoCloseable {
        Node start(Handler handler);

        @Override
        default void close() {
        }
    }

    abstract Home open();

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
