package io.fibry.bench.jmh;

import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.function.Consumer;

/** The kinds of receivers. */
public enum Receiver {
    /** An actor on fibers. */
    FIBERS,
    /** An actor on its own platform thread. */
    THREADS,
    /** An actor on a pool of two platform threads. */
    POOL,
    /** By hand. */
    VIRTUAL_TRANSFER,
    /** By hand. */
    VIRTUAL_BLOCKING,
    /** By hand. */
    PLATFORM_TRANSFER,
    /** By hand. */
    PLATFORM_BLOCKING,
    /** By hand. */
    VIRTUAL_JCTOOLS,
    /** An actor of Apache Pekko. */
    PEKKO,
    /** A coroutine with a channel. */
    KOTLIN;

    /** A receiver that is running, and can be stopped. */
    interface Target extends AutoCloseable {
        void send(Object message);

        @Override
        default void close() {
        }
    }

    Target start(Consumer<Object> handler) {
        return switch (this) {
            case FIBERS -> actor(CreationStrategy.fibers(), handler);
            case THREADS -> actor(CreationStrategy.threads(), handler);
            case POOL -> actor(CreationStrategy.pool(2), handler);
            case VIRTUAL_TRANSFER -> byHand(Thread.ofVirtual(), new LinkedTransferQueue<>(), handler);
            case VIRTUAL_BLOCKING -> byHand(Thread.ofVirtual(), new LinkedBlockingQueue<>(), handler);
            case PLATFORM_TRANSFER -> byHand(Thread.ofPlatform(), new LinkedTransferQueue<>(), handler);
            case PLATFORM_BLOCKING -> byHand(Thread.ofPlatform(), new LinkedBlockingQueue<>(), handler);
            case VIRTUAL_JCTOOLS -> new ParkingQueue(handler);
            case PEKKO -> peer(Peer.PEKKO, handler);
            case KOTLIN -> peer(Peer.KOTLIN, handler);
        };
    }

    private static Target actor(CreationStrategy strategy, Consumer<Object> handler) {
        var actor = ActorSystem.anonymous().strategy(strategy).<Object>newActor(handler::accept);
        return new Target() {
            @Override
            public void send(Object message) {
                actor.sendMessage(message);
            }

            @Override
            public void close() {
                actor.close();
            }
        };
    }

    private static Target peer(Peer peer, Consumer<Object> handler) {
        var home = peer.open();
        var node = home.start((where, message) -> {
            handler.accept(message);
            return false;
        });
        return new Target() {
            @Override
            public void send(Object message) {
                node.send(message);
            }

            @Override
            public void close() {
                home.close();
            }
        };
    }

    private static Target byHand(Thread.Builder builder, BlockingQueue<Object> queue,
            Consumer<Object> handler) {
        var thread = Poisoned.start(builder, queue, handler);
        return new Target() {
            @Override
            public void send(Object message) {
                queue.add(message);
            }

            @Override
            public void close() {
                thread.stop();
            }
        };
    }
}
