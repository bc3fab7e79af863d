package io.fibry.bench.jmh;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.util.concurrent.LinkedTransferQueue;

/** Kinds of many small objects that send messages to each other. */
public enum Peer {
    /** Actors on fibers. */
    FIBERS {
        @Override
        Home open() {
            return new Home() {
                @Override
                public Node start(Handler handler) {
                    Actor<Object, Void> actor =
                            ActorSystem.anonymous().strategy(CreationStrategy.fibers())
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
            return Pekko.home();
        }
    },
    /** Kotlin: a coroutine with a channel for each. */
    KOTLIN {
        @Override
        Home open() {
            return new KotlinHome();
        }
    };

    /** Handles a message. Returns true if the object has done all its work. */
    interface Handler {
        boolean handle(Home home, Object message);
    }

    /** An object that receives messages. */
    interface Node {
        void send(Object message);
    }

    /** Starts objects. */
    interface Home extends AutoCloseable {
        Node start(Handler handler);

        @Override
        default void close() {
        }
    }

    /** Returns a new home. */
    abstract Home open();
}
