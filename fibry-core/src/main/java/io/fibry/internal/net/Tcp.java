package io.fibry.internal.net;

import io.fibry.ActorBuilder;
import io.fibry.FailurePolicy;
import io.fibry.function.Handler;
import io.fibry.function.StateHandler;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.Connection;
import io.fibry.net.Server;
import io.fibry.net.TcpOptions;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Starts TCP servers. */
public final class Tcp {
    private Tcp() {
    }

    /** Starts a server whose connections are read and written by a worker. */
    public static Server accept(ActorBuilder builder, TcpOptions options, boolean silent,
            Handler<Socket> worker, @Nullable IntConsumer onListening) {
        Objects.requireNonNull(worker, "worker");
        return start(builder, options, silent, served(worker), onListening);
    }

    private static Service served(Handler<Socket> worker) {
        return (crew, connection) -> crew.named(connection.name())
                .onFailure(FailurePolicy.stop()).onExit(connection::ended)
                .newReceivingActor(context -> connection.work(worker::handle));
    }

    /** Starts a server whose connections are read by a worker, and take messages. */
    public static <M> Server converse(ActorBuilder builder, TcpOptions options, boolean silent,
            Handler<Connection<M>> worker, StateHandler<Connection<M>, M> handler,
            @Nullable IntConsumer onListening) {
        Objects.requireNonNull(worker, "worker");
        Objects.requireNonNull(handler, "handler");
        var readers = known(builder).waitingStrategy();
        return start(builder, options, silent, TcpTalk.service(readers, worker, handler), onListening);
    }

    /** Starts a server that forwards its connections. */
    public static Server forward(ActorBuilder builder, TcpOptions options, InetSocketAddress target,
            @Nullable IntConsumer onListening) {
        Objects.requireNonNull(target, "target");
        var carriers = known(builder).waitingStrategy();
        return start(builder, options, false, TcpForward.service(carriers, target), onListening);
    }

    private static Server start(ActorBuilder builder, TcpOptions options, boolean silent, Service service,
            @Nullable IntConsumer onListening) {
        Objects.requireNonNull(options, "options");
        return TcpServer.start(known(builder), options, "tcp", silent, service, onListening);
    }

    private static ServerBuilder known(ActorBuilder builder) {
        return ServerBuilder.of(builder);
    }
}
