package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Snapshot;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import io.fibry.time.ManualTime;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The store in memory. */
class MemoryJournalTest extends StoreContract {
    private final MemoryJournal journal = new MemoryJournal();

    @Override
    protected Journal open() {
        return journal;
    }

    @Override
    protected int mostOfStep(int rows) {
        return Integer.MAX_VALUE;
    }

    @Override
    protected boolean hasTransactions() {
        return false;
    }

    /** A look soon after a beat has none, and the next one comes in time. The other process has then seen the last beat for long. */
    @Test
    @Promise("94.4")
    void nothingIsTakenFromAProcessThatIsAliveAlsoWithTheShortestTime() throws Exception {
        var time = new ManualTime(NOW, Duration.ofSeconds(60));
        var begun = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        try (var store = DurableStore.inMemory();
                var other = store.another();
                var scope = ActorSystem.configure("one").time(time).open();
                var otherScope = ActorSystem.configure("two").time(time).open()) {
            var queue = DurableQueue.of(store, "mails", Long.class).giveBackAfter(Duration.ofSeconds(1));
            var otherQueue = DurableQueue.of(other, "mails", Long.class).giveBackAfter(Duration.ofSeconds(1));
            queue.handIn(Map.of("one", 1L), NOW);
            var works = queue.start(scope, 1, task -> {
                begun.countDown();
                end.await();
            });
            begun.await();
            var otherWorks = otherQueue.start(otherScope, 1, task -> {
            });
            for (int i = 0; i < 3; i++) {
                pass(time, 400, works, otherWorks);
                wake(queue, works); // it beats
                wake(otherQueue, otherWorks); // it sees the beat, and looks again in a second
                pass(time, 300, works, otherWorks);
                wake(queue, works); // it does not beat
                pass(time, 350, works, otherWorks);
                pass(time, 350, works, otherWorks);
                var receipt = queue.receipt("one").orElseThrow();
                assertThat(receipt.state()).isEqualTo(DurableQueue.Receipt.State.AT_WORK);
                assertThat(receipt.failed()).isZero();
            }
            end.countDown();
        }
    }

    @Test
    @Promise("94.1")
    void aLookThatHasFailedComesAgainAfterItsPauseHoweverMuchIsHandedIn() throws Exception {
        var time = new ManualTime(NOW, Duration.ofSeconds(60));
        var isBroken = new AtomicBoolean(true);
        var looks = new AtomicInteger();
        var broken = new ForwardingJournal(journal) {
            @Override
            public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
                looks.incrementAndGet();
                if (isBroken.get()) {
                    throw new IOException("on purpose");
                }
                return super.due(group, slices, until, most);
            }
        };
        try (var store = DurableStore.of(broken, CommitOptions.defaults());
                var scope = ActorSystem.configure("mails").time(time).open()) {
            var queue = DurableQueue.of(store, "mails", Long.class);
            var works = queue.start(scope, 1, task -> {
            });
            for (int i = 0; i < 20; i++) {
                wake(queue, works);
            }
            assertThat(looks).hasValue(1);
            isBroken.set(false);
            pass(time, 1_000, works);
            assertThat(looks).hasValueGreaterThan(1);
            int before = looks.get();
            wake(queue, works);
            assertThat(looks).hasValueGreaterThan(before);
        }
    }

    /** Lets the time pass, and waits until all have looked. */
    private static void pass(ManualTime time, int millis, Actor<?, ?>... works) throws Exception {
        time.advance(Duration.ofMillis(millis));
        for (var each : works) {
            each.execAndWait(() -> {
            });
        }
    }

    private static void wake(DurableQueue<Long> queue, Actor<?, ?> works) throws Exception {
        queue.handIn(Map.of("later " + UUID.randomUUID(), 1L), NOW.plus(Duration.ofDays(1)));
        works.execAndWait(() -> {
        });
    }

    @Test
    void ofTurnsThatAreDeletedNothingIsKept() throws Exception {
        for (int i = 1; i <= 100; i++) {
            journal.commit(List.of(withSnapshot(ID, i)));
        }
        compact(journal);
        journal.commit(List.of(turn(ID, 101)));
        assertThat(journal.order).hasSize(1);
        assertThat(erase(journal, new Turn(ID, 102, NOW, NONE, List.of(), NONE, List.of(), Set.of(),
                Optional.of(new Snapshot(102, NONE)), true))).isTrue();
        assertThat(journal.order).hasSize(1);
    }
}
