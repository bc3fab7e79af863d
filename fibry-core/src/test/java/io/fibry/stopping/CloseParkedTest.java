package io.fibry.stopping;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorScope;
import io.fibry.ActorState;
import io.fibry.MailboxPolicy;
import io.fibry.OverflowPolicy;
import io.fibry.testing.BugClass;
import io.fibry.testing.EveryStrategy;
import io.fibry.testing.Forced;
import io.fibry.testing.Patience;
import io.fibry.testing.Scopes;
import io.fibry.testing.Strategy;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Assumptions;

@BugClass({23, 24})
class CloseParkedTest {
    private interface Wait {
        void begin() throws Exception;
    }

    /** An actor whose handler waits for what never comes. */
    private Actor<String, String> parked(ActorScope scope, Wait wait) throws Exception {
        var actor = scope.anonymous().newActorWithReturn((String go) -> {
            wait.begin();
            return go;
        });
        actor.sendMessage("go");
        return actor;
    }

    @EveryStrategy
    void aScopeWithActorsThatWaitInAllWaysIsClosedInTime(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy.isAsync(), "on caller() the test itself would wait");
        var loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (var server = ServerSocketChannel.open().bind(loopback)) {
            // More waits than the two threads of a pool: the rest waits to be run at all.
            var time = new ManualTime(Instant.EPOCH, Patience.LIMIT);
            var scope = Scopes.configure().strategy(strategy.create()).time(time).open();
            var never = new CountDownLatch(1);
            var mute = parked(scope, never::await);
            var full = scope.anonymous().mailbox(MailboxPolicy.bounded(1, OverflowPolicy.block()))
                    .newActor((String go) -> never.await());
            full.sendMessage("handled");
            Waits.until("it is handled", () -> full.mailboxSize() == 0 || strategy == Strategy.POOL);
            full.sendMessage("queued");
            var idle = scope.anonymous().newActor((String message) -> {
            });
            scope.anonymous().<String>newReceivingActor(context -> context.receive());
            scope.anonymous().<String>newReceivingActor((context, go) -> context.receive()).sendMessage("go");
            parked(scope, () -> Thread.sleep(Duration.ofHours(1)));
            parked(scope, () -> mute.apply("no answer"));
            parked(scope, () -> mute.ask("no answer", Duration.ofHours(1)).get());
            parked(scope, () -> full.sendMessage("no room"));
            parked(scope, () -> {
                try (var connection = SocketChannel.open(server.getLocalAddress())) {
                    connection.read(ByteBuffer.allocate(1));
                }
            });
            var report = Forced.stop(time, scope::stop);
            assertThat(report.stuck()).isEmpty();
            assertThat(report.stopped()).isTrue();
            assertThat(report.forced()).isTrue();
            assertThat(idle.state()).isEqualTo(ActorState.STOPPED);
            Waits.left(scope);
        }
    }

    /** The streams of a socket are interruptible on virtual threads only. */
    @EveryStrategy
    void aFiberThatReadsFromASocketIsEnded(Strategy strategy) throws Exception {
        Assumptions.assumeTrue(strategy == Strategy.FIBERS,
                "on other threads no interrupt reaches this read");
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var time = new ManualTime();
            var scope = Scopes.configure().strategy(strategy.create()).time(time).open();
            var reading = new CountDownLatch(1);
            parked(scope, () -> {
                try (var socket = new Socket(server.getInetAddress(), server.getLocalPort())) {
                    reading.countDown();
                    socket.getInputStream().read();
                }
            });
            Waits.on(reading);
            assertThat(Forced.stop(time, scope::stop).stopped()).isTrue();
        }
    }
}
