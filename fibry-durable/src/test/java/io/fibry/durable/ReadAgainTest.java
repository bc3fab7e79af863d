package io.fibry.durable;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.Actor;
import io.fibry.ActorSystem;
import io.fibry.durable.Journal.Id;
import io.fibry.durable.Journal.Position;
import io.fibry.durable.Journal.Reminder;
import io.fibry.durable.Journal.Slices;
import io.fibry.durable.Journal.Turn;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import io.fibry.time.ManualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What could not be read from the store is read again soon, however many reads were asked for meanwhile. */
class ReadAgainTest {
    private static final byte[] NONE = {};

    private final ManualTime time = new ManualTime();
    private final MemoryJournal memory = new MemoryJournal();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean isBroken = true;

    private final Journal journal = new ForwardingJournal(memory) {
        private void read() {
            reads.incrementAndGet();
            if (isBroken) {
                throw new IllegalStateException("not yet");
            }
        }

        @Override
        public List<Turn> unsent(String group, Slices slices, Position after, int most) throws Exception {
            read();
            return super.unsent(group, slices, after, most);
        }

        @Override
        public List<Reminder> due(String group, Slices slices, Instant until, int most) throws Exception {
            read();
            return super.due(group, slices, until, most);
        }
    };

    private void awaitReads(int count) {
        Waits.until("so many reads", () -> reads.get() >= count);
        assertThat(reads).hasValue(count);
    }

    /** The handler has returned from what it was told before, and has set its timer. */
    private static void handled(Actor<Alarms.Call, Void> alarms) throws Exception {
        Waits.on(alarms.sendMessageReturn(new Alarms.Ended(1)));
    }

    @Test
    @Promise("67.1")
    void remindersComeSoonAfterTheStoreCanBeRead() throws Exception {
        var id = new Id("g", "k");
        var reminder = new Reminder(id, "r", time.clock().instant(), "", NONE);
        memory.commit(List.of(new Turn(id, 1, time.clock().instant(), NONE, List.of(), NONE,
                List.of(reminder), Set.of(), Optional.empty(), false)));
        var come = new CompletableFuture<Reminder>();
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.configure("test").time(time).open()) {
            Actor<Alarms.Call, Void> alarms = scope.anonymous()
                    .newActor(new Alarms(store, "g", Durable.Parking.NEVER, each -> {
                        come.complete(each);
                        return CompletableFuture.completedFuture(null);
                    }, gone -> {
                    }, new DurableLoad()));
            Waits.on(alarms.sendMessageReturn(new Alarms.Begun(0, 1)));
            awaitReads(1);
            handled(alarms);
            time.advance(Duration.ofSeconds(1));
            awaitReads(2);
            handled(alarms);
            isBroken = false;
            time.advance(Duration.ofSeconds(2));
            assertThat(Waits.on(come)).isEqualTo(reminder);
        }
    }

    @Test
    @Promise("67.1")
    void aReminderThatThrowsAnErrorOnItsWayIsSentAgain() throws Exception {
        isBroken = false;
        var reminder = new Reminder(new Id("g", "k"), "r", time.clock().instant(), "", NONE);
        var tries = new AtomicInteger();
        var come = new CompletableFuture<Reminder>();
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.configure("test").time(time).open()) {
            Actor<Alarms.Call, Void> alarms =
                    scope.anonymous().newActor(new Alarms(store, "g", Durable.Parking.NEVER, each -> {
                        if (tries.incrementAndGet() == 1) {
                            throw new AssertionError("on purpose");
                        }
                        come.complete(each);
                        return CompletableFuture.completedFuture(null);
                    }, gone -> {
                    }, new DurableLoad()));
            Waits.on(alarms.sendMessageReturn(new Alarms.Begun(0, 1)));
            alarms.sendMessage(new Alarms.Changed(reminder.id(), false, Set.of(), List.of(reminder)));
            Waits.until("it has failed", () -> tries.get() == 1);
            Waits.until("it has come", () -> {
                time.advance(Duration.ofSeconds(1));
                return come.isDone();
            });
            assertThat(Waits.on(come).name()).isEqualTo("r");
            assertThat(Waits.on(come).tries().failed()).isEqualTo(1);
        }
    }

    @Test
    @Promise("66.1")
    void readsThatSlicesAskForMakeThePauseNoLonger() throws Exception {
        try (var store = DurableStore.of(journal, CommitOptions.defaults());
                var scope = ActorSystem.configure("test").time(time).open()) {
            Actor<Outbox.Call, Void> outbox = scope.anonymous()
                    .newActor(new Outbox(store, "g", Durable.Parking.NEVER, new DurableLoad()));
            for (int slice = 0; slice < 10; slice++) {
                outbox.sendMessage(new Outbox.Begun(slice, 16));
                awaitReads(slice + 1);
            }
            Waits.on(outbox.sendMessageReturn(new Outbox.Ended(15)));
            time.advance(Duration.ofSeconds(1));
            awaitReads(11);
        }
    }
}
