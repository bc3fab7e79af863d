package io.fibry.internal.net;

import io.fibry.ActorScope;
import io.fibry.FailurePolicy;
import io.fibry.internal.clock.Durations;
import io.fibry.internal.log.Logs;
import io.fibry.net.Connection;
import io.fibry.net.RelayOptions;
import io.fibry.time.Cancellable;
import io.fibry.time.TimeSource;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The service of a relay for its connections. A user gets a token, which the relay sends to the agent over the
 * control connection. The agent answers by a data connection that begins with this token.
 */
final class RelayDesk {
    private static final Logger LOG = Logs.of("io.fibry.net");
    private static final int SILENT_BEATS = 3;

    private final RelayOptions options;
    private final TimeSource time;
    private final SecureRandom random = new SecureRandom();
    private final RelayHandshake handshake;
    /** A call is listed before the agent is told. The thread that removes it has it. */
    private final Map<RelayToken, RelayCall> waiting = new ConcurrentHashMap<>();
    /**
     * Exchanged by a new control connection; one that ends clears it by CAS, so it does not take the place of
     * another.
     */
    private final AtomicReference<@Nullable Agent> agent = new AtomicReference<>();
    private final RelayGate gate;

    RelayDesk(RelayOptions options, TimeSource time) {
        this.options = options;
        this.time = time;
        handshake = new RelayHandshake(options.secret(), random);
        gate = new RelayGate(options, time, waiting::size);
    }

    /** The agent that serves, with the calls that it was sent and that have not ended. */
    private static final class Agent {
        final Connection<RelayFrame> control;
        final Map<RelayToken, RelayCall> calls = new ConcurrentHashMap<>();
        /** Written by the reader; a timer that reads too old a time looks again. */
        volatile long heardAt;

        Agent(Connection<RelayFrame> control, long now) {
            this.control = control;
            heardAt = now;
        }
    }

    boolean hasAgent() {
        return agent.get() != null;
    }

    // ---- Users. ----

    /** Returns the service for users. */
    Service users() {
        return (crew, connection) -> crew.named(connection.name()).onFailure(FailurePolicy.stop())
                .onExit(connection::ended)
                .newReceivingActor(context -> connection.work(near -> serve(connection, near)));
    }

    private void serve(TcpConnection connection, Socket near) throws Exception {
        var serving = agent.get();
        if (serving == null) {
            throw new ConnectException("no agent is connected to the relay");
        }
        var token = RelayToken.random(random);
        var call = new RelayCall(connection, near);
        waiting.put(token, call);
        serving.calls.put(token, call);
        try {
            if (!serving.control.actor().sendMessage(new RelayFrame(RelayFrame.Kind.OPEN, token))) {
                throw new ConnectException("the agent has just gone");
            }
            call.serve(time, options.answerTimeout());
        } finally {
            waiting.remove(token);
            serving.calls.remove(token);
        }
    }

    // ---- Agents. ----

    /** Returns the service for agents, and for strangers on the agents' port. */
    Service agents() {
        return (crew, connection) -> {
            gate.enter(connection);
            try {
                crew.named(connection.name() + " reader").onFailure(FailurePolicy.stop())
                        .onExit(() -> gate.leave(connection)).onExit(connection::ended)
                        .newReceivingActor(
                                context -> connection.work(socket -> meet(crew, connection, socket)));
            } catch (Throwable noActor) {
                gate.leave(connection);
                throw noActor;
            }
        };
    }

    private void meet(ActorScope crew, TcpConnection connection, Socket socket) throws Exception {
        var wish = handshake.receive(socket, options.heartbeat());
        gate.leave(connection);
        if (wish.purpose() == RelayHandshake.CONTROL) {
            TcpTalk.<RelayFrame>open(connection, socket, crew, RelayDesk::write)
                    .converse(control -> control(connection, control));
            return;
        }
        var call = waiting.remove(wish.token());
        if (call == null) {
            LOG.debug("{}: its user does not wait any more", connection.name());
        } else {
            call.carryBack(connection, socket);
        }
    }

    private static void write(Connection<RelayFrame> control, RelayFrame frame) throws IOException {
        control.socket().getOutputStream().write(frame.bytes());
    }

    /**
     * Serves a control connection. The latest agent serves, since an agent may come back before the relay knows that
     * it was away.
     */
    private void control(TcpConnection connection, Connection<RelayFrame> control) throws IOException {
        gate.admitKnown(connection.peer().getAddress());
        var mine = new Agent(control, time.nanoTime());
        var before = agent.getAndSet(mine);
        if (before != null) {
            before.control.close();
        }
        var beat = Durations.nanos(options.heartbeat(), "heartbeat");
        var beats = Ticks.start(time, beat, () -> control.actor().sendMessage(RelayFrame.PING));
        var silence = watch(connection, mine);
        try {
            read(mine);
        } finally {
            beats.cancel();
            silence.cancel();
            agent.compareAndSet(mine, null);
        }
    }

    private Cancellable watch(TcpConnection connection, Agent mine) {
        var limit = options.heartbeat().multipliedBy(SILENT_BEATS);
        return Deadline.start(time, Optional.empty(), Optional.of(limit), () -> mine.heardAt,
                Deadline.Names.OF_CONNECTIONS, why -> {
                    var reason = "nothing was heard of the agent for " + limit;
                    agent.compareAndSet(mine, null);
                    mine.calls.values().forEach(call -> call.end(reason));
                    connection.cutSoon(reason);
                });
    }

    private void read(Agent mine) throws IOException {
        var in = mine.control.socket().getInputStream();
        for (var frame = RelayFrame.read(in); frame.isPresent(); frame = RelayFrame.read(in)) {
            mine.heardAt = time.nanoTime();
            if (frame.get().kind() == RelayFrame.Kind.REFUSE) {
                var call = mine.calls.get(frame.get().token());
                if (call != null) {
                    call.fail(new ConnectException("the agent cannot serve another user now"));
                }
            }
        }
    }
}
