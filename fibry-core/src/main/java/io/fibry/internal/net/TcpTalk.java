package io.fibry.internal.net;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.FailurePolicy;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.net.Connection;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * A connection with a worker that reads and an actor that takes messages. Both end when one of them does: the end of
 * the worker stops the actor, and the end of the actor closes the socket, which ends the read of the worker.
 */
final class TcpTalk<M> implements Connection<M> {
    private final TcpConnection connection;
    private final Socket socket;
    private final Runnable ended;
    private final Actor<M, Void> actor;

    private TcpTalk(TcpConnection connection, Socket socket, ActorScope crew,
            StateHandler<Connection<M>, M> handler, Runnable ended) {
        this.connection = connection;
        this.socket = socket;
        this.ended = ended;
        actor = crew.named(connection.name()).onExit(this::actorEnded)
                .newActor(Handler.<M>shownAs(handler, message -> handle(handler, message)));
    }

    /** Returns the service for connections of this kind, whose readers run on {@code strategy}. */
    static <M> Service service(CreationStrategy strategy, Handler<Connection<M>> worker,
            StateHandler<Connection<M>, M> handler) {
        return (crew, connection) -> crew.named(connection.name() + " reader").strategy(strategy)
                .onFailure(FailurePolicy.stop())
                .onExit(connection::ended)
                .newReceivingActor(context -> connection.work(
                        socket -> open(connection, socket, crew, handler).converse(worker)));
    }

    static <M> TcpTalk<M> open(TcpConnection connection, Socket socket, ActorScope crew,
            StateHandler<Connection<M>, M> handler) {
        var talk = connection.with(ended -> new TcpTalk<>(connection, socket, crew, handler, ended));
        connection.afterWork(talk.actor::askExit);
        return talk;
    }

    /** Runs the worker, and then waits until the actor has written what is queued. */
    void converse(Handler<Connection<M>> worker) throws Exception {
        worker.handle(this);
        if (!socket.isClosed()) {
            actor.sendPoisonPill();
            actor.waitForExit();
        }
    }

    private void handle(StateHandler<Connection<M>, M> handler, M message) throws Exception {
        connection.handle(() -> handler.handle(this, message), actor::askExit);
    }

    private void actorEnded() {
        connection.closeWanted("its actor has stopped");
        ended.run();
    }

    @Override
    public Socket socket() {
        return socket;
    }

    @Override
    public InetSocketAddress peer() {
        return connection.peer();
    }

    @Override
    public Actor<M, Void> actor() {
        return actor;
    }

    @Override
    public void close() {
        actor.askExit();
        connection.closeWanted("it was closed by the program");
    }

    @Override
    public String toString() {
        return connection.name();
    }
}
