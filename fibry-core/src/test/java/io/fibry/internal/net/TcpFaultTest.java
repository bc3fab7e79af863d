package io.fibry.internal.net;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.CreationStrategy;
import io.fibry.event.Failed;
import io.fibry.function.Handler;
import io.fibry.internal.scope.Scope;
import io.fibry.internal.scope.ServerBuilder;
import io.fibry.net.Client;
import io.fibry.net.TcpOptions;
import io.fibry.testing.BugClass;
import io.fibry.testing.OpenSockets;
import io.fibry.testing.Promise;
import io.fibry.testing.Recorder;
import io.fibry.testing.Waits;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Something fails at each step of a connection: no place and no socket is lost, and the next client is served. */
@BugClass(33)
class TcpFaultTest {
    private static final int PLACES = 3;
    private static final int FAULTS = 6;
    private static final TcpOptions OPTIONS = TcpOptions.localPort(0).maxConnections(PLACES);

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.fibry.net");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Recorder recorder = new Recorder();
    private final AtomicInteger faults = new AtomicInteger(FAULTS);
    private final long sockets = OpenSockets.count();

    @BeforeEach
    void listen() {
        log.start();
        logger.addAppender(log);
        logger.setAdditive(false);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(log);
        logger.setAdditive(true);
    }

    private boolean fails() {
        return faults.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
    }

    private ActorScope scope() {
        return ActorSystem.configure("test").listener(recorder).open();
    }

    private static void hello(Socket socket) throws IOException {
        socket.getInputStream().read();
        socket.getOutputStream().write("hello\n".getBytes());
    }

    private static Service plain(Handler<Socket> work) {
        return (crew, connection) -> crew.named(connection.name()).onExit(connection::ended)
                .newReceivingActor(context -> connection.work(work));
    }

    private TcpServer start(ActorScope scope, CreationStrategy strategy, Listening listening,
            Service service) {
        return TcpServer.start(ServerBuilder.of(scope.anonymous().strategy(strategy)), OPTIONS, listening,
                "tcp", false, service, null);
    }

    private static Listening listening() {
        return Listening.open(OPTIONS, System::nanoTime);
    }

    /** Clients come until the faults are over; then all places are there. */
    private void survives(TcpServer server) throws IOException {
        while (faults.get() > 0) {
            client(server);
        }
        client(server); // for a fault that lies ready
        Waits.until("all have ended", () -> server.connections() == 0);
        var clients = new ArrayList<Client>();
        for (int i = 0; i < PLACES; i++) {
            clients.add(new Client(server));
        }
        Waits.until("all places are taken", () -> server.connections() == PLACES);
        try (var oneMore = new Client(server)) {
            Waits.until("the acceptor waits for a place", () -> waitsForPlace(server));
            assertThat(server.connections()).as("no place was given back twice").isEqualTo(PLACES);
            for (var client : clients) {
                assertThat(client.ask("x")).isEqualTo("hello");
                client.close();
            }
            assertThat(oneMore.ask("x")).isEqualTo("hello");
        }
        server.close();
        OpenSockets.areBack(sockets);
    }

    private static boolean waitsForPlace(TcpServer server) {
        return ((Scope) server.crew()).cells().stream().flatMap(cell -> cell.stack().stream())
                .anyMatch(frame -> frame.getClassName().equals(Semaphore.class.getName()));
    }

    private static void client(TcpServer server) throws IOException {
        try (var client = new Client(server)) {
            client.send("x");
            client.isCut();
        }
    }

    private List<ILoggingEvent> warnings() {
        return log.list.stream().filter(line -> line.getLevel() == Level.WARN).toList();
    }

    /** Fails before or after it has accepted. */
    private Listening failing(boolean after, Throwable failure) throws IOException {
        return Faulty.open(OPTIONS, faulty -> {
            if (!after && fails()) {
                Faulty.sneak(failure);
            }
            var socket = faulty.properly();
            if (after && fails()) {
                socket.close();
                Faulty.sneak(failure);
            }
            return socket;
        });
    }

    @Test
    @BugClass(34)
    @Promise("15.2")
    void errorsInAcceptAreLoggedOnceForABurstAndPass() throws Exception {
        try (var scope = scope();
                var server = start(scope, CreationStrategy.fibers(),
                        failing(false, new SocketException("Too many open files")),
                        plain(TcpFaultTest::hello))) {
            Waits.until("the faults are over", () -> faults.get() == 0);
            survives(server);
        }
        assertThat(warnings()).singleElement().satisfies(line -> assertThat(line.getFormattedMessage())
                .contains("tcp-", "cannot accept a connection", "Too many open files"));
    }

    @Test
    void anErrorOfTheMachineInAcceptPasses() throws Exception {
        try (var scope = scope();
                var server = start(scope, CreationStrategy.fibers(),
                        failing(true, new OutOfMemoryError("simulated")), plain(TcpFaultTest::hello))) {
            survives(server);
        }
        assertThat(warnings()).hasSize(1);
    }

    /** A peer that is gone before its address was asked for, and sockets that cannot be taken in. */
    @Test
    @Promise("15.2")
    void aSocketThatCannotBeTakenInIsClosed() throws Exception {
        var listening = Faulty.open(OPTIONS, faulty -> {
            var socket = faulty.properly();
            return fails() ? new Broken(socket) : socket;
        });
        try (var scope = scope();
                var server = start(scope, CreationStrategy.fibers(), listening, plain(TcpFaultTest::hello))) {
            survives(server);
        }
        assertThat(warnings()).singleElement().satisfies(
                line -> assertThat(line.getFormattedMessage()).contains("cannot take in a connection"));
    }

    private static final class Broken extends Socket {
        private final Socket real;

        Broken(Socket real) {
            this.real = real;
        }

        @Override
        public java.net.SocketAddress getRemoteSocketAddress() {
            throw new IllegalStateException("simulated");
        }

        @Override
        public void close() throws IOException {
            real.close();
        }
    }

    @Test
    @Promise("15.2")
    void aSocketThatCannotBePreparedIsClosedAndNamed() throws Exception {
        var listening =
                Faulty.open(OPTIONS, faulty -> !fails() ? faulty.properly() : faulty.into(new Socket() {
                    @Override
                    public void setTcpNoDelay(boolean on) throws SocketException {
                        throw new SocketException("simulated");
                    }
                }));
        try (var scope = scope();
                var server = start(scope, CreationStrategy.fibers(), listening, plain(TcpFaultTest::hello))) {
            survives(server);
        }
        assertThat(recorder.of(Failed.class)).hasSize(FAULTS).allSatisfy(
                failed -> assertThat(failed.actor()).contains("/127.0.0.1:"));
    }

    @Test
    @Promise("15.2")
    void aStrategyThatGivesNoExecutorCostsNoPlace() throws Exception {
        CreationStrategy strategy = actor -> {
            if (actor.contains("127.0.0.1") && fails()) {
                throw new IllegalStateException("simulated");
            }
            return CreationStrategy.fibers().executorFor(actor);
        };
        try (var scope = scope();
                var server = start(scope, strategy, listening(), plain(TcpFaultTest::hello))) {
            survives(server);
        }
        assertThat(warnings()).singleElement().satisfies(line -> assertThat(line.getFormattedMessage())
                .contains("cannot make an actor for", "/127.0.0.1:", "simulated"));
    }

    @Test
    @Promise("15.2")
    void anExecutorThatRefusesCostsNoPlace() throws Exception {
        var fibers = CreationStrategy.fibers();
        CreationStrategy strategy = actor -> turn -> {
            if (actor.contains("127.0.0.1") && fails()) {
                throw new RejectedExecutionException("simulated");
            }
            fibers.executorFor(actor).execute(turn);
        };
        try (var scope = scope();
                var server = start(scope, strategy, listening(), plain(TcpFaultTest::hello))) {
            survives(server);
        }
        assertThat(recorder.of(Failed.class)).hasSize(FAULTS);
    }

    @Test
    @Promise("15.2")
    void aWorkerThatThrowsAnythingCostsNoPlace() throws Exception {
        try (var scope = scope();
                var server = start(scope, CreationStrategy.fibers(), listening(), plain(socket -> {
                    if (fails()) {
                        throw new StackOverflowError("simulated");
                    }
                    hello(socket);
                }))) {
            survives(server);
        }
        assertThat(recorder.of(Failed.class)).hasSize(FAULTS);
    }

    /** The actor beside the worker cannot be made. */
    @Test
    @Promise("15.2")
    void aTalkWithoutItsActorCostsNoPlace() throws Exception {
        var fibers = CreationStrategy.fibers();
        CreationStrategy strategy = actor -> {
            if (actor.contains("127.0.0.1") && !actor.endsWith("reader") && fails()) {
                throw new IllegalStateException("simulated");
            }
            return fibers.executorFor(actor);
        };
        Service talk = TcpTalk.<String>service(strategy, connection -> hello(connection.socket()),
                (connection, message) -> {
                });
        try (var scope = scope(); var server = start(scope, strategy, listening(), talk)) {
            survives(server);
        }
        assertThat(recorder.of(Failed.class)).hasSize(FAULTS);
    }

    @Test
    @Promise("15.2")
    void aSocketThatCannotBeClosedCostsNoPlace() throws Exception {
        var listening = Faulty.open(OPTIONS, faulty -> {
            var fails = fails();
            return faulty.into(new Socket() {
                @Override
                public void close() throws IOException {
                    super.close();
                    if (fails) {
                        throw new IOException("simulated");
                    }
                }
            });
        });
        try (var scope = scope();
                var server = start(scope, CreationStrategy.fibers(), listening, plain(TcpFaultTest::hello))) {
            survives(server);
        }
        assertThat(recorder.of(Failed.class)).isEmpty();
    }
}
