package io.fibry.internal.mailbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fibry.ActorScope;
import io.fibry.ActorSystem;
import io.fibry.internal.actor.Mailbox;
import io.fibry.internal.actor.MessageNode;
import io.fibry.internal.memory.Interleave;
import io.fibry.internal.scenario.SeededScheduler;
import io.fibry.internal.scope.Builder;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Senders that meet at a mailbox, one of which leaves it to the other for a moment. */
class SendersMeetTest {
    private static final int SEEDS = 50;

    private final ActorScope scope = ActorSystem.open("meeting");

    @AfterEach
    void close() {
        scope.close();
        Interleave.hook(() -> {
        });
    }

    private UnboundedCell<Object, Object> busy() {
        var cell = new UnboundedCell<>(((Builder) scope.anonymous()).spec(), (turn, message) -> message);
        assertThat(cell.offer(new MessageNode("first"))).isEqualTo(Mailbox.Offer.WAKE);
        return cell;
    }

    /** Before the next node is put in by this thread, somebody else's is. */
    private static void meetsAnother(UnboundedCell<Object, Object> cell) {
        var me = Thread.currentThread();
        var isFirst = new AtomicBoolean(true);
        Interleave.hook(() -> {
            if (Thread.currentThread() == me && isFirst.getAndSet(false)) {
                cell.offer(new MessageNode("another's"));
            }
        });
    }

    @Test
    void aVirtualThreadDoesNotGiveItsCarrierAway() {
        assumeTrue(SeededScheduler.isAvailable(), "this JDK lets nobody schedule virtual threads");
        for (int seed = 0; seed < SEEDS; seed++) {
            var scheduler = new SeededScheduler(seed);
            var cell = busy();
            var otherHasRun = new AtomicBoolean();
            var sender = scheduler.spawn("sender", () -> {
                meetsAnother(cell);
                var before = otherHasRun.get();
                var mine = new MessageNode("mine");
                assertThat(cell.offer(mine)).isEqualTo(Mailbox.Offer.QUEUED);
                assertThat(mine.seq).as("has met another").isEqualTo(3);
                assertThat(otherHasRun.get()).as("somebody else has had the carrier").isEqualTo(before);
            });
            scheduler.spawn("other", () -> otherHasRun.set(true));
            scheduler.run();
            assertThat(sender.isAlive()).isFalse();
        }
    }
}
