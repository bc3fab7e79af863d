package io.fibry.readers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorBuilder;
import io.fibry.ActorScope;
import io.fibry.CreationStrategy;
import io.fibry.GroupPolicy;
import io.fibry.Stereotypes;
import io.fibry.message.BatchOptions;
import io.fibry.net.TcpOptions;
import io.fibry.net.UdpOptions;
import io.fibry.testing.Promise;
import io.fibry.time.RateLimit;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReaderRefusalsTest {
    private static final RateLimit RATE = RateLimit.of(10, Duration.ofSeconds(1));

    private final ActorScope scope = ActorScope.open("refusals");
    private final ActorBuilder readers = scope.named("clerk").readers(2);
    private final Stereotypes stereotypes = Stereotypes.with(readers);

    @AfterEach
    void close() {
        scope.close();
    }

    private static void refused(String why, ThrowingCallable making) {
        assertThatThrownBy(making).as(why).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(" named 'clerk' cannot have readers: ")
                .hasMessageContaining(why);
    }

    private static void plain(String why, ActorBuilder builder) {
        refused(why, () -> builder.newActor((String message) -> {
        }));
        refused(why, () -> builder.state(() -> 1).newActorWithReturn((Integer state, String message) -> 1));
    }

    @Promise("38.7")
    @Test
    void settingsThatNeedOneHandlerAtATime() {
        plain("threads that do not belong to the library", readers.strategy(CreationStrategy.caller()));
        plain("use fibers(), threads() or pool(n)", readers.strategy(CreationStrategy.of(Runnable::run)));
        plain("leave out runByCallers()", readers.runByCallers());
        plain("leave out interruptOnCancel()", readers.interruptOnCancel());
        plain("leave out stash(capacity)", readers.stash(2));
        plain("leave out urgent(capacity)", readers.urgent(2));
        plain("leave out abandonStuck", readers.abandonStuck(Duration.ofSeconds(1), Duration.ofSeconds(1)));
        assertThatThrownBy(() -> readers.readers(0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Promise("38.7")
    @Test
    void whatTakesItsMessagesItself() {
        refused("receives messages itself", () -> readers.newReceivingActor(inbox -> inbox.receive()));
        refused("receives messages itself", () -> readers.newReceivingActor((inbox, message) -> {
        }));
        refused("is a body", () -> stereotypes.runOnce(() -> {
        }));
        refused("handles batches",
                () -> readers.newBatchActor(BatchOptions.of(2, Duration.ofSeconds(1)), all -> {
                }));
    }

    @Promise("38.7")
    @Test
    void whatHasOtherActorsForItsWork() {
        refused("a group", () -> readers.newGroup(GroupPolicy.oneForOne()));
        refused("a master of workers", () -> stereotypes.workers(message -> {
        }));
        refused("a master of workers", () -> stereotypes.workersWithReturn(message -> 1));
        refused("a master of workers", () -> stereotypes.boundedWorkers(1, 1, message -> {
        }));
        refused("a master of workers", () -> stereotypes.boundedWorkersWithReturn(1, 1, message -> 1));
        refused("a server", () -> stereotypes.tcpAcceptor(TcpOptions.localPort(0), connection -> {
        }, null));
        refused("a server", () -> stereotypes.udpReceiver(UdpOptions.port(0), (socket, packet) -> {
        }, null));
    }

    /** The messages of such an actor would begin side by side, as fast as they come. */
    @Promise("38.7")
    @Test
    void whatIsLimitedInItsRate() {
        refused("an actor with a rate", () -> stereotypes.rateLimited(RATE, message -> {
        }));
        refused("an actor with a rate", () -> stereotypes.rateLimitedWithReturn(RATE, message -> 1));
    }
}
